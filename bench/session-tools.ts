/**
 * What the session tools cost in this process over a full SQLite store (ST-4, ST-10, ST-11, ST-30): 100,000 sessions with a tree of 10,000
 * descendants, 1,000,000 messages. Run: `node bench/session-tools.ts [calls] [sessions] [messages]` (default 200, 100,000,
 * 1,000,000). Prints a table and one line of JSON; wall time is what a caller waits, processor time what the call costs.
 */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { channels } from "../adapters/index.ts";
import { defaultAgents } from "../config/load/load.ts";
import { parseConfig } from "../config/load/parse.ts";
import { executeCall } from "../src/agent/turn/work.ts";
import type { JsonObject } from "../src/core/json.ts";
import type { Logger } from "../src/core/runtime.ts";
import { OPERATOR_RIGHTS } from "../src/core/session/rights.ts";
import { asSessionKey } from "../src/core/session/session-key.ts";
import type { Settings } from "../src/core/settings.ts";
import { systemTimers } from "../src/core/time.ts";
import { createThreads } from "../src/delivery/way-out.ts";
import { createLiveTurns } from "../src/sessions/live-turns.ts";
import { createReplySignal } from "../src/sessions/reply-signal.ts";
import { openSqliteStore } from "../src/store/dialect/sqlite.ts";
import { sessionByKey } from "../src/store/reads/sessions/targets.ts";
import { TOOL_NAMES } from "../src/tools/names.ts";
import { TOOLS } from "../src/tools/registry.ts";
import type { ToolContext } from "../src/tools/tool.ts";
import { fillStore } from "./fill-sessions.ts";

const [calls = 200, sessions = 100_000, messages = 1_000_000] = process.argv.slice(2).map(Number);
const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (fields, message) => console.error(message, fields),
  child: () => silent,
};
const clock = { now: () => Date.now() };

function settingsFor(visibility: "tree" | "agent"): Settings {
  return parseConfig({
    tree: { tools: { sessions: { visibility } } },
    baseDir: tmpdir(),
    env: {},
    catalog: { channels, toolNames: TOOL_NAMES },
    defaults: { agents: defaultAgents(), model: "demo/switchyard", providers: { demo: { type: "demo" } } },
  }).settings;
}

const folder = mkdtempSync(join(tmpdir(), "switchyard-bench-"));
const file = join(folder, "switchyard.db");
const open = () => openSqliteStore({ file, clock, log: silent });

async function main(): Promise<void> {
  await (await open()).close();
  const startedAt = performance.now();
  const filled = fillStore(file, { sessions, descendants: sessions / 10, messages });
  console.log(`filled in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  const store = await open();
  const root = filled.root;
  const plain = filled.chats[2]?.key ?? root;
  const long = filled.longTranscript.key;

  const contextOf = async (text: string, settings: Settings): Promise<ToolContext> => {
    const sessionKey = asSessionKey(text);
    const session = sessionKey === null ? null : await store.read(sessionByKey, sessionKey);
    if (session === null) throw new Error(`no session ${text}`);
    return {
      ...{
        store,
        settings,
        session,
        callId: "bench",
        modelCallId: "bench",
        adjusted: [],
        clock,
        log: silent,
        timeText: String,
      },
      turn: {
        ...{ id: "bench", sessionKey: session.key, sessionId: session.sessionId, fence: 1, begins: 1, runId: null },
        ...{ outcome: null, error: null, stopRequested: false, startedAt: 0, endedAt: null },
        source: { kind: "event", route: null, rights: OPERATOR_RIGHTS, replyTo: null, chain: null },
      },
      services: {
        liveTurns: createLiveTurns(),
        compose: () => Promise.resolve([]),
        threads: createThreads({ find: () => null }, systemTimers),
        replies: createReplySignal(),
        version: "bench",
        ownTools: () => ({ tools: TOOL_NAMES, removedTools: [] }),
      },
      slot: { released: (wait) => wait() },
      signal: new AbortController().signal,
      ids: { uuid: randomUUID },
    };
  };
  const agent = settingsFor("agent");
  const tree = settingsFor("tree");
  const cases: readonly (readonly [string, number, string, Settings, string, JsonObject])[] = [
    ["list, plain", 10, plain, agent, "sessions_list", {}],
    ["list, plain, small tree", 10, plain, tree, "sessions_list", {}],
    ["list, page at 5,000", 10, plain, agent, "sessions_list", { offset: 5_000 }],
    ["list, search, many hits", 20, plain, agent, "sessions_list", { search: "Garden" }],
    ["list, search, no hit", 20, plain, agent, "sessions_list", { search: "nothing like it" }],
    ["list, tree of 10,000", 20, root, tree, "sessions_list", {}],
    ["list, tree of 10,000, search, no hit", 20, root, tree, "sessions_list", { search: "nothing like it" }],
    [
      "list of 50, titles and last messages",
      40,
      plain,
      agent,
      "sessions_list",
      { includeDerivedTitles: true, includeLastMessage: true },
    ],
    ["history, tail of 50", 5, long, tree, "sessions_history", { sessionKey: "current" }],
    ["search, rare word (1,000 hits)", 50, plain, agent, "sessions_search", { query: "rare" }],
    ["search, 9,091 hits", 100, plain, agent, "sessions_search", { query: "seldom" }],
    ["search, common word (all messages)", 100, plain, agent, "sessions_search", { query: "garden" }],
    ["search, common phrase", 100, plain, agent, "sessions_search", { query: '"lorem ipsum dolor"' }],
    ["search, common beginning", 100, plain, agent, "sessions_search", { query: "harb*" }],
    ["search, common word, own session", 50, plain, tree, "sessions_search", { query: "garden" }],
    ["search, common word, tree of 10,000", 100, root, tree, "sessions_search", { query: "garden" }],
    ["search, no hit", 50, plain, agent, "sessions_search", { query: "nothing" }],
    ["status", 10, plain, tree, "session_status", {}],
  ];
  const results = [];
  for (const [name, limitMs, key, settings, tool, args] of cases) {
    const context = await contextOf(key, settings);
    const call = { callId: "bench", name: tool, args };
    for (let at = 0; at < 20; at += 1) await executeCall(call, TOOLS, context);
    const times: number[] = [];
    const cpu = process.cpuUsage();
    for (let at = 0; at < calls; at += 1) {
      const begun = performance.now();
      await executeCall(call, TOOLS, context);
      times.push(performance.now() - begun);
    }
    const used = process.cpuUsage(cpu);
    times.sort((a, b) => a - b);
    const at = (share: number): number => Number((times[Math.floor(calls * share)] ?? 0).toFixed(2));
    results.push({
      ...{ name, p50: at(0.5), p95: at(0.95), cpu: Number(((used.user + used.system) / 1_000 / calls).toFixed(2)) },
      limit: limitMs,
    });
  }
  await store.close();
  console.table(results);
  console.log(JSON.stringify({ sessions, messages, calls, results }));
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
