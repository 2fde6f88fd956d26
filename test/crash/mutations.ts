import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/*
 * npm run mutations: takes one safeguard at a time out of a copy of the program and runs the test that must go red for it.
 * Ends with 1 when one stays green, or when the safeguard is not where it was.
 */

interface Mutation {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** What must go red. */
  readonly test: string;
  /** Further arguments of vitest, and the one case of the crash suite. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const MATRIX = "test/crash/matrix.test.ts";

const MUTATIONS: readonly Mutation[] = [
  {
    name: "the dedupe key",
    file: "src/core/message/inbound-event.ts",
    from: "id.kind, id.version]",
    to: "id.kind, id.version, String(process.pid)]",
    test: MATRIX,
    env: { CRASH_CHANNEL: "telegram", CRASH_FLOW: "plain answer", CRASH_POINT: "after accept-event (1)" },
  },
  {
    name: "the fence",
    file: "src/store/parts/sessions.ts",
    from: '.where("fence", "=", p.fence)',
    to: '.where("fence", ">=", 0)',
    test: "test/unit/store/turn-begins.test.ts",
    args: ["-t", "the one who lost the turn writes nothing"],
  },
  {
    name: "Discord's nonce",
    file: "adapters/discord/outbound/send-once.ts",
    from: ".update(key)",
    to: ".update(key + performance.now())",
    test: MATRIX,
    env: {
      CRASH_CHANNEL: "discord",
      CRASH_FLOW: "plain answer",
      CRASH_POINT: "when the platform has carried out, and not answered, create_message (1)",
    },
  },
  {
    name: "Discord's read-back",
    file: "adapters/discord/outbound/send-once.ts",
    from: "const found = await readBack(parts, once, signal);",
    to: "const found = null as APIMessage | null;",
    test: "test/adapters/discord/sending.test.ts",
    args: ["-t", "later than two minutes the history is read"],
  },
  {
    name: "Slack's read-back",
    file: "adapters/slack/outbound/outbound.ts",
    from: "const looks = known === null && isRepeated(parts, delivery);\n  let standing",
    to: "const looks = false;\n  let standing",
    test: MATRIX,
    env: {
      CRASH_CHANNEL: "slack",
      CRASH_FLOW: "plain answer",
      CRASH_POINT: "when the platform has carried out, and not answered, chat.postMessage (1)",
    },
  },
  {
    name: "the held child turn",
    file: "src/store/steps/runs/spawn.ts",
    from: 'input.thread === null ? "waiting" : "held"',
    to: '"waiting"',
    test: MATRIX,
    env: { CRASH_CHANNEL: "web", CRASH_FLOW: "spawn in a thread", CRASH_CASES: "1" },
  },
  {
    name: "the bound of a public route's body (FC-401)",
    file: "src/http/guard.ts",
    from: "if (reading.bytes > bytes) reading.refuse(413);\n        else if (total > totalBytes)",
    to: "if (total > totalBytes)",
    test: "test/unit/http/public-bodies.test.ts",
  },
  {
    name: "the bound on reading a streamed reply again (FC-402)",
    file: "src/core/text/stream-sanitiser.ts",
    from: "const ALWAYS = 1_000;",
    to: "const ALWAYS = 1_000_000;",
    test: "test/properties/linear.test.ts",
    args: ["-t", "FC-402: createStreamSanitiser"],
  },
  {
    name: "the limit on commands (FC-403)",
    file: "src/routing/command-gate.ts",
    from: 'return name === names.get("stop") ? "free" : "command";',
    to: 'return "free";',
    test: "test/unit/bridge/command-limits.test.ts",
  },
  {
    name: "the cost of words behind a command (FC-403)",
    file: "src/commands/registry.ts",
    from: 'return (command.arguments.length === 0 && args !== "") || command',
    to: "return command",
    test: "test/unit/bridge/command-limits.test.ts",
  },
  {
    name: "the count of what is decided at once (FC-403)",
    file: "src/bridge/accept/accept-message.ts",
    from: "rates.note(event, decision, now);",
    to: "",
    test: "test/unit/bridge/command-limits.test.ts",
  },
  {
    name: "the order of replies and answers to commands (FC-403)",
    file: "src/store/reads/delivery/deliveries.ts",
    from: "const row = other ?? oldest;",
    to: "const row = oldest;",
    test: "test/unit/delivery/outbox-steps.test.ts",
    args: ["-t", "FC-403"],
  },
  {
    name: "the encoder's closing brackets (FC-404)",
    file: "src/core/text/prompt-words.ts",
    from: '.replace(CLOSING, ")")',
    to: "",
    test: "test/properties/prompts.test.ts",
  },
  {
    name: "the encoder's look behind invisible letters (FC-404)",
    file: "src/core/text/prompt-words.ts",
    from: "if (UNSEEN.test(letter)) continue;",
    to: "if (/\\s/.test(letter)) continue;",
    test: "test/properties/prompts.test.ts",
  },
  {
    name: "the input that cannot begin is set aside (FC-405)",
    file: "src/agent/turn/begin.ts",
    from: "if (times < MAX_TRIES) throw error;",
    to: "if (times < 1_000) throw error;",
    test: "test/unit/agent/begin.test.ts",
  },
  {
    name: "the bound of an MCP server's message (FC-406)",
    file: "src/tools/mcp/http-transport.ts",
    from: "if (message <= MAX_MESSAGE && all <= responseBytes)",
    to: "if (all <= responseBytes)",
    test: "test/unit/tools/mcp/endless-servers.test.ts",
  },
  {
    name: "the bound of an MCP server's silence (FC-406)",
    file: "src/tools/mcp/http-transport.ts",
    from: "setTimeout(end(serverTexts.ending.fellSilent), times.silentMs)",
    to: "setTimeout(end(serverTexts.ending.fellSilent), 1_000 * times.silentMs)",
    test: "test/unit/tools/mcp/endless-servers.test.ts",
  },
  {
    name: "the bound of a model's answer (FC-406)",
    file: "src/agent/providers/http-post.ts",
    from: "if (bytes > MAX_ANSWER_BYTES)",
    to: "if (bytes > 100 * MAX_ANSWER_BYTES)",
    test: "test/unit/providers/endless-model.test.ts",
  },
  {
    name: "the budget of a chain (FC-407)",
    file: "src/store/parts/chains.ts",
    from: "if (by === null) continue;",
    to: "if (by !== undefined) continue;",
    test: "test/properties/chains.test.ts",
  },
  {
    name: "the end of a chain by /stop (FC-407)",
    file: "src/store/steps/sessions/stop-session.ts",
    from: "const chained = await stopChainsFrom(context, input.sessionKey, {",
    to: 'const chained = await stopChainsFrom(context, "" as typeof input.sessionKey, {',
    test: "test/unit/tools/chains.test.ts",
  },
  {
    name: "the fence around Discord's library (FC-405)",
    file: "adapters/discord/client.ts",
    from: "containLibrary(client, unread);",
    to: "",
    test: "test/fuzz/fuzz.test.ts",
    args: ["-t", "mutated events of discord"],
  },
  {
    name: "the escaping of what the command line prints (FC-408)",
    file: "src/cli/output.ts",
    from: "out: (text) => output.out(visibleText(text)),",
    to: "out: (text) => output.out(text),",
    test: "test/unit/cli/terminal.test.ts",
  },
  {
    name: "the escaping of names in chats (FC-408)",
    file: "src/core/text/visible.ts",
    from: "return asTyped(visibleLine(cutName(name)));",
    to: "return name;",
    test: "test/unit/commands/hostile-names.test.ts",
  },
  {
    name: "the list of keys that a chat may change (FC-409)",
    file: "config/edit/chat-keys.ts",
    from: "|| !(isAllowed(path) || isUnknown(path))",
    to: "",
    test: "test/unit/config/chat-keys.test.ts",
  },
  {
    name: "the look for files and variables in what a chat sets (FC-409)",
    file: "config/edit/chat-keys.ts",
    from: "namesSecretOrFile(path, value) ||",
    to: "",
    test: "test/unit/config/chat-keys.test.ts",
  },
  {
    name: "the privacy of access lists in groups (FC-410)",
    file: "src/commands/people/pairing.ts",
    from: "inPrivate ? await list(services) : peopleTexts.notPrivate",
    to: "await list(services)",
    test: "test/unit/commands/hostile-names.test.ts",
  },
  {
    name: "the look at who may still write when a turn begins (FC-410)",
    file: "src/store/parts/present-inputs.ts",
    from: "if (!now.admitted) await setAside(context, item, now);",
    to: "if (!now.admitted) present.push(item);",
    test: "test/unit/bridge/removed-senders.test.ts",
  },
  {
    name: "the lower role of a demoted owner (FC-410)",
    file: "src/store/parts/present-inputs.ts",
    from: "else if (now.role === item.rights.role) present.push(item);",
    to: "else if (now.role !== null) present.push(item);",
    test: "test/unit/bridge/removed-senders.test.ts",
    args: ["-t", "who is demoted"],
  },
  {
    name: "the look at who may still write when a command runs (FC-410)",
    file: "src/commands/dispatch.ts",
    from: "const presentAccess = await deps.store.read(commandAccess, { item, presentAccess: deps.presentAccess });",
    to: 'const presentAccess = { admitted: true, role: item.rights.role, commandsDenied: null, rule: "" } as const;',
    test: "test/unit/commands/removed-senders.test.ts",
  },
  {
    name: "the modes of the store's files (FC-410)",
    file: "src/store/dialect/private-file.ts",
    from: "chmodSync(file, 0o600);",
    to: "chmodSync(file, mode);",
    test: "test/unit/store/private-files.test.ts",
  },
  {
    name: "the look for split secrets (FC-410)",
    file: "src/core/text/redact.ts",
    from: ".join(GAP))",
    to: '.join(""))',
    test: "test/unit/text/redact-split.test.ts",
  },
  {
    name: "the cut of MCP stderr lines",
    file: "src/tools/mcp/stdio-transport.ts",
    from: "if (this.#bytes < this.#maxBytes) return;",
    to: "if (this.#bytes >= 0) return;",
    test: "test/unit/tools/mcp/stderr.test.ts",
  },
  {
    name: "the bound on lines of an MCP server that are no messages (FC-406)",
    file: "src/tools/mcp/stdio-transport.ts",
    from: "if (noise > MAX_NOISE)",
    to: "if (noise > 1_000_000_000)",
    test: "test/unit/tools/mcp/flooding-servers.test.ts",
    args: ["-t", "on its output end it"],
  },
  {
    name: "the pause between lines of an MCP server (FC-406)",
    file: "src/tools/mcp/stdio-transport.ts",
    from: "if (this.#lines % LINES_AT_ONCE === 0) await others();",
    to: "",
    test: "test/unit/tools/mcp/flooding-servers.test.ts",
    args: ["-t", "JSON that is no message"],
  },
  {
    name: "the bound on logged lines of an MCP server (FC-406)",
    file: "src/tools/mcp/server.ts",
    from: "if (lines <= LINES_PER_MINUTE) log",
    to: "log",
    test: "test/unit/tools/mcp/flooding-servers.test.ts",
    args: ["-t", "a hundred a minute"],
  },
  {
    name: "the bound on the whole time of an MCP server's answer (FC-406)",
    file: "src/tools/mcp/http-transport.ts",
    from: "setTimeout(end(serverTexts.ending.tooSlow), times.totalMs)",
    to: "setTimeout(() => undefined, times.totalMs)",
    test: "test/unit/tools/mcp/endless-servers.test.ts",
  },
  {
    name: "the bound on a tool's schema (FC-402)",
    file: "src/agent/providers/wire/tool-schema.ts",
    from: "const MAX_NODES = 1_000;",
    to: "const MAX_NODES = 1_000_000;",
    test: "test/unit/providers/hostile-schemas.test.ts",
  },
  {
    name: "the key of an id that no encoding has (FC-405)",
    file: "src/core/ids.ts",
    from: "String(id).toWellFormed()",
    to: "String(id)",
    test: "test/unit/core/odd-ids.test.ts",
  },
  {
    name: "the bound on what reading a PDF file takes (FC-402)",
    file: "src/sessions/pdf.ts",
    from: 'if (isHeavy) end("heavy");',
    to: "void isHeavy;",
    test: "test/unit/sessions/hostile-pdf.test.ts",
    args: ["-t", "without end"],
  },
  {
    name: "the bound on what is read of a text file (FC-402)",
    file: "src/sessions/file-content.ts",
    from: "const isLong = bytes.byteLength > 2 * END_BYTES;",
    to: "const isLong = bytes.byteLength > 1_000 * END_BYTES;",
    test: "test/unit/sessions/large-text.test.ts",
  },
  {
    name: "the same refusal for hidden and missing agents",
    file: "src/subagents/spawn.ts",
    from: "throw forbidden(spawnTexts.notAllowed(wanted, requester.id), close.length > 0 ? close : ids);",
    to: "if (settings.agents.has(wanted)) throw forbidden(spawnTexts.notAllowed(wanted, requester.id));\n  throw new ToolError(wanted);",
    test: "test/unit/tools/subagent-tools.test.ts",
    args: ["-t", "FC-410"],
  },
];

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PARTS = ["src", "adapters", "config", "test", "docs", "package.json", "tsconfig.json", "vitest.config.ts"];
const [only] = process.argv.slice(2);

const wanted = MUTATIONS.filter(({ name }) => only === undefined || name.includes(only));
const green = wanted.filter((mutation) => !isSeen(mutation));
process.exitCode = green.length === 0 ? 0 : 1;

function isSeen({ name, file, from, to, test, args = [], env = {} }: Mutation): boolean {
  const copy = mkdtempSync(join(tmpdir(), "swmut-"));
  try {
    for (const part of PARTS) cpSync(join(ROOT, part), join(copy, part), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
    const text = readFileSync(join(copy, file), "utf8");
    if (text.split(from).length !== 2) throw new Error(`${file} does not say once: ${from}`);
    writeFileSync(
      join(copy, file),
      text.replace(from, () => to),
    );
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(copy, "node_modules/vitest/vitest.mjs"), "run", test, ...args],
      { cwd: copy, encoding: "utf8", env: { ...process.env, ...env, NO_COLOR: "1" } },
    );
    const why = /^(?:AssertionError|Error|TestTimeoutError): .*$/m.exec(stdout + stderr)?.[0] ?? "";
    const isRed = status !== 0 && why !== "";
    const what = Object.values(env).join(", ") || args.join(" ");
    console.log(
      `${isRed ? "red" : "NOT RED"}: without ${name}: ${test} ${what}\n  ${isRed ? why : stdout.slice(-2_000)}`,
    );
    return isRed;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
