import { expect, it } from "vitest";
import type { Tree } from "../../../config/load/faults.ts";
import type { SessionScope } from "../../../src/core/session/session-key.ts";
import { inScope } from "../../../src/core/session/session-key.ts";
import type { Settings } from "../../../src/core/settings.ts";
import { scopeOf } from "../../../src/sessions/visibility.ts";
import { listSessions } from "../../../src/store/reads/sessions/list.ts";
import { findVisible } from "../../../src/store/reads/sessions/targets.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { key, ToolScene } from "./tool-scene.ts";

const P = "agent:main:discord:direct:p";
const Q = "agent:main:discord:direct:q";
const CHILD = "agent:coder:subagent:c";
const GRANDCHILD = "agent:main:subagent:g";
const OTHER_CHILD = "agent:main:subagent:o";
const CODER = "agent:coder:main";
const WRITER = "agent:writer:main";
const ALL = [P, Q, CHILD, GRANDCHILD, OTHER_CHILD, CODER, WRITER];

function settings(tools: Tree, main: Tree = {}): Settings {
  const entries = { main: { default: true, ...main }, coder: {}, writer: {} };
  return testSettings({ agents: { defaults: { model: "demo/switchyard" }, entries }, tools });
}

const TABLE: readonly (readonly [string, Settings, readonly string[]])[] = [
  ["self: itself", settings({ sessions: { visibility: "self" } }), [P]],
  ["tree, the default: itself and all it spawned, also under other agents", settings({}), [P, CHILD, GRANDCHILD]],
  [
    "agent: its agent's, and its tree",
    settings({ sessions: { visibility: "agent" } }),
    [P, Q, CHILD, GRANDCHILD, OTHER_CHILD],
  ],
  [
    "all, agents closed: as agent",
    settings({ sessions: { visibility: "all" } }),
    [P, Q, CHILD, GRANDCHILD, OTHER_CHILD],
  ],
  [
    "all, two agents listed: theirs",
    settings({ sessions: { visibility: "all" }, agentToAgent: { enabled: true, allow: ["main", "coder"] } }),
    [P, Q, CHILD, GRANDCHILD, OTHER_CHILD, CODER],
  ],
  [
    "all, the viewer's agent not listed: nobody else's",
    settings({ sessions: { visibility: "all" }, agentToAgent: { enabled: true, allow: ["coder", "writer"] } }),
    [P, Q, CHILD, GRANDCHILD, OTHER_CHILD],
  ],
  [
    "all, every agent: everything",
    settings({ sessions: { visibility: "all" }, agentToAgent: { enabled: true, allow: ["*"] } }),
    ALL,
  ],
  [
    "an agent's own setting replaces the global one (FC-038)",
    settings({ sessions: { visibility: "all" } }, { tools: { sessions: { visibility: "self" } } }),
    [P],
  ],
];

async function family(scene: ToolScene): Promise<void> {
  for (const text of [P, Q, CODER, WRITER]) await scene.session(text);
  await scene.session(CHILD, { spawnedBy: key(P), depth: 1 });
  await scene.session(GRANDCHILD, { spawnedBy: key(CHILD), depth: 2 });
  await scene.session(OTHER_CHILD, { spawnedBy: key(Q), depth: 1 });
}

async function sees({ store }: ToolScene, scope: SessionScope, text: string): Promise<boolean> {
  return (await store.read(findVisible, { scope, key: key(text) })) !== null;
}

describeOnEveryStore("visibility", (open) => {
  it.each(TABLE)("VS-1, FC-034: %s", async (_name, config, visible) => {
    const scene = new ToolScene(await open(), config);
    await family(scene);
    const scope = scopeOf(config, { key: key(P), agentId: "main" });
    const seen: string[] = [];
    const judged: string[] = [];
    for (const text of ALL) {
      if (await sees(scene, scope, text)) seen.push(text);
      if (inScope(scope, { key: key(text), isDescendant: text === CHILD || text === GRANDCHILD })) judged.push(text);
    }
    const listed = await scene.store.read(listSessions, {
      ...{ scope, kinds: null, label: null, agentId: null, search: null, activeSince: null },
      ...{ archived: "all", pinned: null, spawnedBy: null, behind: null, limit: 50, offset: 0 },
    });
    expect(seen).toEqual([...visible]);
    expect(judged).toEqual([...visible]);
    expect(listed.map(({ session }) => session.key).sort()).toEqual([...visible].sort());
  });

  it("VS-2, FC-035: list, history, send, status and subagents give one answer, for a hidden session the one of no session", async () => {
    const scene = new ToolScene(await open(), settings({}));
    await family(scene);
    const caller = await scene.turn(P);
    const calls = (sessionKey: string) =>
      Promise.all([
        caller.call("sessions_history", { sessionKey }),
        caller.call("sessions_send", { sessionKey, message: "hi", timeoutSeconds: 0 }),
        caller.call("session_status", { sessionKey }),
        caller.call("sessions_list", { spawnedBy: sessionKey }),
      ]);
    const hidden = await calls(Q);
    const missing = await calls("agent:main:discord:direct:nobody");
    for (const [at, { result }] of hidden.entries()) {
      expect(JSON.stringify(result).replaceAll(Q, "X")).toBe(
        JSON.stringify(missing[at]?.result).replaceAll("agent:main:discord:direct:nobody", "X"),
      );
      expect(result.status).toBe("forbidden");
    }
    for (const { result } of await calls(GRANDCHILD)) expect(["ok", "accepted"]).toContain(result.status);
  });

  it("FC-038: one person's direct chat is not shown to another's, unless the agent is told so", async () => {
    for (const [config, seen] of [
      [settings({}), false],
      [settings({}, { tools: { sessions: { visibility: "agent" } } }), true],
    ] as const) {
      const scene = new ToolScene(await open(), config);
      await family(scene);
      expect(await sees(scene, scopeOf(config, { key: key(P), agentId: "main" }), Q)).toBe(seen);
    }
  });

  it("FC-106: the session id of a hidden session is as hidden as its key", async () => {
    const scene = new ToolScene(await open(), settings({}));
    await family(scene);
    const { sessionId } = await scene.read(Q);
    const caller = await scene.turn(P);
    const { result } = await caller.call("session_status", { sessionKey: sessionId, model: "demo/switchyard" });
    expect(result.status).toBe("forbidden");
    expect((await scene.read(Q)).modelOverride).toBeNull();
  });

  it("FC-037: the refusal names every setting that is missing at once", async () => {
    const scene = new ToolScene(await open(), settings({}));
    await family(scene);
    const { result } = await (await scene.turn(P)).call("sessions_history", { sessionKey: WRITER });
    expect(result.hint).toContain(
      'To see more, the operator sets tools.sessions.visibility "agent" or "all", for other agents tools.agentToAgent.enabled, both agents in tools.agentToAgent.allow.',
    );
  });
});
