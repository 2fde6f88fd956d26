// biome-ignore-all lint/suspicious/noTemplateCurlyInString: "${NAME}" is the configuration's own syntax.
import { expect, test } from "vitest";
import { parseText } from "../../../config/load/parse.ts";
import { faultLines, linesOf, warningLines } from "./fault-lines.ts";

test("OP-2: a syntax error names the file, line and column", () => {
  expect(linesOf(() => parseText("{\n  http: { port: 1 }\n  store: {} }", "/x/switchyard.json5"))).toEqual([
    "/x/switchyard.json5: line 3, column 3: invalid character 's'. Fix the syntax there. A comma, quote or bracket is often missing just before it.",
  ]);
});

test("OP-2: a file without anything in it is a file without keys", () => {
  for (const text of ["", "\n", "\uFEFF// nothing yet\n/* or\nhere */ "]) expect(parseText(text, "x")).toEqual({});
});

test("OP-2: a file that holds no section says so", () => {
  expect(linesOf(() => parseText("[1]", "/x/switchyard.json5"))).toEqual([
    "/x/switchyard.json5: is not a section in { }. Start the file with { and end it with }.",
  ]);
});

test("OP-2: a wrong type names what is there and what to write", () => {
  expect(faultLines({ http: { port: "4180" }, messages: { historyLimit: 1.5 }, bindings: {} })).toEqual([
    'http.port: must be a number, but is "4180". Write a number.',
    "messages.historyLimit: must be a whole number, but is 1.5. Write a whole number.",
    "bindings: must be a list in [ ], but is a section. Write a list in [ ].",
  ]);
});

test("OP-2: a bad port names its bounds", () => {
  expect(faultLines({ http: { port: 70000 } })).toEqual([
    "http.port: must be at most 65535, but is 70000. Write a number that is at most 65535.",
  ]);
});

test("OP-2 FC-089: an unknown key is a fault and names the nearest valid one", () => {
  expect(
    faultLines({
      agnts: {},
      http: { prot: 1 },
      channels: { telegram: { botToken: "1:a", dm: { policy: "allowlist" } } },
    }),
  ).toEqual([
    'http.prot: unknown key. Did you mean "port"?',
    'channels.telegram.dm: unknown key. Did you mean "dmPolicy"?',
    'agnts: unknown key. Did you mean "agents"?',
  ]);
});

test("OP-2: an unknown key that is near to none lists the valid ones", () => {
  expect(faultLines({ catchUp: { somethingElse: 1 } })).toEqual([
    "catchUp.somethingElse: unknown key. Available: maxAge.",
  ]);
});

test("OP-2: an unknown value names the nearest valid one", () => {
  expect(faultLines({ session: { dmScope: "per-chanel-peer" } })).toEqual([
    'session.dmScope: must be "main" or "per-peer" or "per-channel-peer" or "per-account-channel-peer", but is "per-chanel-peer". Did you mean "per-channel-peer"?',
  ]);
});

test("OP-3: a model of a well-known provider that was not declared says how to declare it", () => {
  expect(faultLines({ agents: { defaults: { model: "openai/gpt-5" } } })).toEqual([
    'agents.defaults.model: unknown model provider "openai". Set models.providers.openai: { type: "openai", apiKey: "${OPENAI_API_KEY}" }, and set that variable.',
  ]);
});

test("OP-2: all faults are named at once, also those behind a wrong type", () => {
  const lines = faultLines({
    http: { port: true },
    agents: { entries: { main: { model: "nope/x", maxStep: 3 } } },
    bindings: [{ agentId: "reserch", match: { channel: "telegram" } }],
    catchUp: { maxAge: "soon" },
  });
  expect(lines).toEqual([
    "http.port: must be a number, but is true. Write a number.",
    'agents.entries.main.maxStep: unknown key. Did you mean "maxSteps"?',
    'agents.entries.main.model: unknown model provider "nope". Available: demo.',
    'catchUp.maxAge: "soon" is not a duration. Use a duration such as "15m", "2h", "90s" or "30d", or a number of milliseconds.',
    'bindings[0].agentId: unknown agent "reserch". Available: main.',
  ]);
});

test("OP-2: an unset or empty environment variable is a fault with both ways out", () => {
  const tree = { http: { token: "${SWITCHYARD_TOKEN}" } };
  const line =
    "http.token: the environment variable SWITCHYARD_TOKEN is not set. Set SWITCHYARD_TOKEN in the environment or in .env, or remove http.token.";
  expect(faultLines(tree)).toEqual([line]);
  expect(faultLines(tree, { env: { SWITCHYARD_TOKEN: "" } })).toEqual([line]);
  expect(faultLines(tree, { env: { SWITCHYARD_TOKEN: "0123456789" } })).toEqual([]);
});

test("OP-2: a channel that is switched off needs no environment", () => {
  expect(faultLines({ channels: { telegram: { enabled: false, botToken: "${NOT_SET}" } } })).toEqual([]);
});

test("OP-2: a fault never shows what may be a secret", () => {
  expect(faultLines({ channels: { telegram: { botToken: "very secret" } } })).toEqual([
    "channels.telegram.botToken: does not look like a bot token, such as 123456789:AAF…, which @BotFather gives. It is (value hidden).",
  ]);
});

test("OP-2: two default agents are a fault", () => {
  expect(faultLines({ agents: { entries: { a: { default: true }, b: { default: true } } } })).toEqual([
    'agents.entries.b.default: "a" is already the default agent. Set default: true on one agent only.',
  ]);
});

test("IN-8: several agents without a default are a warning", () => {
  expect(warningLines({ agents: { entries: { a: {}, b: {} } } })).toEqual([
    "agents.entries: no agent is the default. Messages that no binding matches are refused. Set default: true on one agent.",
  ]);
});

test("OP-3: an unknown provider, alias or demo model names what there is", () => {
  const models = {
    providers: { local: { type: "openai-compatible", baseUrl: "http://127.0.0.1:1/v1" } },
    aliases: { fast: "local/x" },
  };
  expect(
    faultLines({
      models,
      agents: {
        defaults: { model: "locl/x" },
        entries: { a: { default: true }, b: { model: "fats" }, c: { model: "demo/gpt" } },
      },
    }),
  ).toEqual([
    'agents.defaults.model: unknown model provider "locl". Did you mean "local"?',
    'agents.entries.b.model: "fats" is neither provider/model nor an alias. Did you mean "fast"?',
    'agents.entries.c.model: the demo provider has no model "gpt". Write "demo/switchyard".',
  ]);
});

test("OP-3: a provider says which of its keys are missing", () => {
  expect(
    faultLines({
      models: { providers: { a: {}, b: { type: "openai-compatible" }, c: { type: "anthropic" } } },
      agents: { defaults: { model: "a/x" } },
    }),
  ).toEqual([
    'models.providers.a.type: is missing. Set type: "openai", "anthropic", "google", "openai-compatible" or "demo".',
    'models.providers.b.baseUrl: is missing. Set the server\'s address, such as baseUrl: "http://127.0.0.1:11434/v1".',
    'models.providers.c.apiKey: is missing. Set apiKey: "${ANTHROPIC_API_KEY}", and set that variable.',
  ]);
});

test("OP-3: providers without a model for an agent are a fault, never a silent demo", () => {
  expect(faultLines({ models: { providers: { openai: { type: "openai", apiKey: "none" } } } })).toEqual([
    'agents.defaults.model: is missing. Set a model as provider/model, such as "demo/switchyard".',
  ]);
});

test("TP-2: an unknown tool in a policy is a warning with the nearest name", () => {
  expect(warningLines({ tools: { deny: ["session_spawn", "sessions_*", "group:sessions", "*"] } })).toEqual([
    'tools.deny[0]: no tool is called "session_spawn". Did you mean "sessions_spawn"?',
  ]);
});

test("TP-2: allow and alsoAllow in one scope are a fault", () => {
  expect(
    faultLines({
      tools: { allow: ["message"], alsoAllow: ["subagents"] },
      agents: { entries: { main: { tools: { allow: [], alsoAllow: ["message"] } } } },
    }),
  ).toEqual([
    "agents.entries.main.tools.alsoAllow: allow and alsoAllow cannot be used together. Use allow to narrow the profile, or alsoAllow to add to it.",
    "tools.alsoAllow: allow and alsoAllow cannot be used together. Use allow to narrow the profile, or alsoAllow to add to it.",
  ]);
});

test("IN-7: an unsafe or broken mention pattern is refused with its reason", () => {
  expect(faultLines({ messages: { mentionPatterns: ["a*", "(a)\\1", "sw(itchy", "\\bswitchy\\b"] } })).toEqual([
    'messages.mentionPatterns[0]: the pattern "a*" matches an empty text, so it would match every message. Use a simple one, such as "\\\\bswitchy\\\\b".',
    'messages.mentionPatterns[1]: the pattern "(a)\\\\1" is not a valid RE2 regular expression: invalid escape sequence. Use a simple one, such as "\\\\bswitchy\\\\b".',
    'messages.mentionPatterns[2]: the pattern "sw(itchy" is not a valid RE2 regular expression: missing closing ). Use a simple one, such as "\\\\bswitchy\\\\b".',
  ]);
});

test("TN-18: an instructions file that cannot be read names the file", () => {
  expect(
    faultLines({ agents: { entries: { main: { instructions: "./agents/none.md" } } } }, { baseDir: "/nonexistent" }),
  ).toEqual([
    "agents.entries.main.instructions: the file /nonexistent/agents/none.md does not exist. Create it, or write the instructions here as text.",
  ]);
});

test("OP-6: an address that others reach needs a token", () => {
  const line =
    'http.token: is missing, but 0.0.0.0 can be reached from other machines. Set token: "${SWITCHYARD_TOKEN}" and set that variable, or use host: "127.0.0.1".';
  expect(faultLines({ http: { host: "0.0.0.0" } })).toEqual([line]);
  expect(faultLines({ http: { host: "0.0.0.0", token: "0123456789abcdef" } })).toEqual([]);
  expect(faultLines({ http: { host: "::1" } })).toEqual([]);
});

test("OP-2: a secret in plain text is a warning that shows where it belongs", () => {
  expect(
    warningLines({
      http: { token: "0123456789" },
      models: { providers: { local: { type: "openai-compatible", baseUrl: "http://127.0.0.1:1", apiKey: "none" } } },
      agents: { defaults: { model: "local/x" } },
      channels: { telegram: { botToken: "1:abcdef", accounts: { second: { botToken: "2:abcdef" } } } },
    }),
  ).toEqual([
    'http.token: contains a secret in plain text. Move it to the environment or .env, and write "${SWITCHYARD_TOKEN}" here.',
    'channels.telegram.botToken: contains a secret in plain text. Move it to the environment or .env, and write "${TELEGRAM_BOT_TOKEN}" here.',
    'channels.telegram.accounts.second.botToken: contains a secret in plain text. Move it to the environment or .env, and write "${TELEGRAM_SECOND_BOT_TOKEN}" here.',
  ]);
});

test("OP-2: a binding to an unknown agent, channel or to everything is a fault", () => {
  expect(
    faultLines({
      bindings: [
        { agentId: "maim", match: { channel: "telegrm" } },
        { agentId: "main", match: {} },
        { match: { channel: "web" } },
      ],
    }),
  ).toEqual([
    'bindings[0].agentId: unknown agent "maim". Did you mean "main"?',
    'bindings[0].match.channel: unknown channel "telegrm". Did you mean "telegram"?',
    "bindings[1].match: matches everything. Set what it matches. For everything else, set default: true on an agent.",
    "bindings[2].agentId: is missing. Available: main.",
  ]);
});
