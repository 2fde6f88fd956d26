// biome-ignore-all lint/suspicious/noTemplateCurlyInString: "${NAME}" is the configuration's own syntax.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { channels } from "../../../adapters/index.ts";
import { durationMs, safePattern } from "../../../config/sections/values.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { testSettings } from "../../support/test-settings.ts";

test.each([
  ["15m", 900_000],
  ["2h", 7_200_000],
  ["90s", 90_000],
  ["500ms", 500],
  ["1d", 86_400_000],
  ["1.5 h", 5_400_000],
  [1_234, 1_234],
  [0, 0],
  ["15", null],
  ["15 minutes", null],
  ["-1m", null],
  ["", null],
])("OP-2: the duration %j is %j ms", (written, ms) => {
  expect(durationMs(written)).toBe(ms);
});

test.each([
  ["telegram", "👀", "👀"],
  ["telegram", "❤️", "❤"],
  ["telegram", "⏳", null],
  ["discord", "⏳", "⏳"],
  ["discord", "<:wait:112233445566778899>", "wait:112233445566778899"],
  ["discord", "eyes", null],
  ["slack", ":eyes:", "eyes"],
  ["slack", "👀", "eyes"],
  ["slack", "🦑", null],
])("CH-8: on %s the reaction %s is %s", (channel, written, read) => {
  expect(channels.find((one) => one.channel === channel)?.reactions?.read(written)).toBe(read);
});

test("CH-8: an account has its own reaction or its channel's; what the platform has not is a fault, and the web page takes none", () => {
  const of = (...accounts: readonly object[]) => ({
    telegram: { ackReaction: "👀", botToken: "1:a", accounts: { b: { botToken: "2:b" }, ...accounts[0] } },
  });
  const settings = testSettings({ channels: of({ c: { botToken: "3:c", ackReaction: "" } }) });
  const telegram = settings.accounts.filter(({ channel }) => channel === "telegram");
  expect(telegram.map(({ accountId, ackReaction }) => [accountId, ackReaction])).toEqual([
    ["default", "👀"],
    ["b", "👀"],
    ["c", null],
  ]);
  expect(() => testSettings({ channels: { telegram: { botToken: "1:a", ackReaction: "⏳" } } })).toThrow(/ackReaction/);
  expect(() => testSettings({ channels: { web: { ackReaction: "👀" } } })).toThrow(/ackReaction/);
});

test.each([
  "\\bswitchy\\b",
  "hey (switchy|bot)",
  "^@?bot[,:]?",
  "sw+itchy",
  "(?:ok )?switchy",
  "\\p{Lu}bot",
  "a{2,5}bot",
  "[*+]{3}",
  "schön",
])("IN-7: the pattern %s is safe", (source) => {
  expect(safePattern(source)).toMatchObject({ ok: true });
});

test.each([
  ["(a)\\1", "is not a valid RE2 regular expression: invalid escape sequence"],
  ["switchy(?=!)", "is not a valid RE2 regular expression: invalid or unsupported Perl syntax"],
  ["[a", "is not a valid RE2 regular expression: missing closing ]"],
  ["((a{30}){30})", "has too many repetitions"],
  ["x*", "matches an empty text, so it would match every message"],
  ["a".repeat(201), "is longer than 200 characters"],
])("IN-7: the pattern %s is refused", (source, reason) => {
  expect(safePattern(source)).toEqual({ ok: false, reason });
});

test.each(["(a+)+$", "(a|a)*b", "(a+){3}b", "(x+x+)+y", "a{0,90}a{0,90}b", "(a|aa)+c"])(
  "FC-402, IN-7: the pattern %s takes time in proportion to the message, however hostile",
  (source) => {
    const verdict = safePattern(source);
    if (!verdict.ok) throw new Error(verdict.reason);
    const spent = (length: number): number =>
      Math.min(...Array.from({ length: 3 }, () => cpuMs(() => verdict.pattern.test(`${"a".repeat(length)}!`))));
    // The compiler's and the collector's threads count too, at times they choose; quadratic work is quadratic in every round.
    const growth = Math.min(...Array.from({ length: 4 }, () => spent(16_000) / Math.max(spent(4_000), 1)));
    expect(growth).toBeLessThan(9);
  },
);

test("TN-18: instructions are a text, or the file they name beside the configuration", () => {
  const baseDir = mkdtempSync(join(tmpdir(), "switchyard-config-"));
  writeFileSync(join(baseDir, "research.md"), "You look things up.\n");
  const entries = {
    a: { instructions: "./research.md" },
    b: { instructions: "research.md" },
    c: { instructions: "Read research.md first." },
    d: { instructions: "./line\nanother" },
  };
  const agents = testSettings({ agents: { entries } }, { baseDir }).agents;
  expect([...agents.values()].map((agent) => agent.instructions)).toEqual([
    "You look things up.",
    "You look things up.",
    "Read research.md first.",
    "./line\nanother",
  ]);
});

test("OP-2: agents take what they leave out from the defaults, and aliases are resolved", () => {
  const settings = testSettings({
    models: {
      providers: { local: { type: "openai-compatible", baseUrl: "http://127.0.0.1:1/v1" } },
      aliases: { fast: "local/small" },
    },
    agents: {
      defaults: {
        model: "local/big/v2",
        timeoutSeconds: 0.5,
        subagents: { maxSpawnDepth: 2, maxConcurrent: 3, runTimeoutSeconds: 9 },
      },
      entries: {
        main: { default: true },
        quick: { model: "fast", timeoutSeconds: 5, subagents: { maxSpawnDepth: 1 } },
      },
    },
  });
  const { main, quick } = Object.fromEntries(settings.agents);
  expect(main).toMatchObject({
    model: { provider: "local", model: "big/v2" },
    timeoutMs: 500,
    subagents: { maxSpawnDepth: 2, runTimeoutMs: 9_000 },
  });
  expect(quick).toMatchObject({
    model: { provider: "local", model: "small" },
    timeoutMs: 5_000,
    subagents: { maxSpawnDepth: 1, runTimeoutMs: 9_000 },
  });
  expect(settings).toMatchObject({ defaultAgentId: "main", maxConcurrentChildren: 3 });
});

test("OP-2: secrets are collected for redaction, short placeholders are not", () => {
  const tree = {
    http: { token: "${A}" },
    models: { providers: { local: { type: "openai-compatible", baseUrl: "http://127.0.0.1:1/v1", apiKey: "none" } } },
    agents: { defaults: { model: "local/x" } },
    channels: { telegram: { botToken: "${B}", accounts: { second: { botToken: "3:other-bot" } } } },
  };
  expect(testSettings(tree, { env: { A: "long-enough", B: "1:abcdef" } }).secrets).toEqual([
    "long-enough",
    "1:abcdef",
    "3:other-bot",
  ]);
});

test("OP-2: $${ writes a plain ${", () => {
  const tree = { agents: { entries: { main: { instructions: "Say $${HOME}." } } } };
  expect(testSettings(tree).agents.get("main")?.instructions).toBe("Say ${HOME}.");
});

test("SK-10: identity links name one person's ids on several channels", () => {
  const tree = { session: { identityLinks: { ann: ["telegram:tg:111", "web:operator"] } } };
  expect([...testSettings(tree).session.identityLinks]).toEqual([
    ["telegram:111", "ann"],
    ["web:operator", "ann"],
  ]);
});

test("TP-2: senders of tool layers are folded and only narrow", () => {
  const tree = { tools: { toolsBySender: { "telegram:tg:5": { deny: ["message"] }, "*": { allow: [] } } } };
  expect([...testSettings(tree).tools.bySender]).toEqual([
    ["telegram:5", { profile: null, alsoAllow: null, allow: null, deny: ["message"] }],
    ["*", { profile: null, alsoAllow: null, allow: [], deny: [] }],
  ]);
});

test("IN-8: bindings keep their order, with ids in the platform's own form", () => {
  const tree = {
    agents: { entries: { main: { default: true }, research: {} } },
    bindings: [
      { agentId: "research", match: { channel: "telegram", peer: { kind: "group", id: -100777 } } },
      {
        agentId: "main",
        match: { channel: "telegram", peer: { kind: "direct", id: "*" } },
        session: { dmScope: "main" },
      },
    ],
  };
  expect(testSettings(tree).bindings).toMatchObject([
    {
      agentId: "research",
      match: { channel: "telegram", accountId: null, peer: { kind: "group", id: "-100777" } },
      session: { dmScope: null },
    },
    { agentId: "main", match: { peer: { kind: "direct", id: "*" } }, session: { dmScope: "main", groupScope: null } },
  ]);
});
