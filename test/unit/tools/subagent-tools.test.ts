import { expect, it } from "vitest";
import { findRun } from "../../../src/store/reads/runs/runs.ts";
import { inboxItemFromRow } from "../../../src/store/rows.ts";
import { defineRead } from "../../../src/store/store.ts";
import { createArchive, createRunTimeout } from "../../../src/subagents/timers.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { key, ROUTE, ToolScene } from "./tool-scene.ts";

const OWN = "agent:main:discord:channel:1";
const deep = testSettings({
  models: {
    providers: {
      demo: { type: "demo" },
      local: { type: "openai-compatible", baseUrl: "http://127.0.0.1:1/v1", models: { other: {} } },
    },
  },
  agents: {
    defaults: {
      model: "demo/switchyard",
      subagents: { maxSpawnDepth: 2, maxChildrenPerAgent: 3, allowAgents: ["coder"] },
    },
    entries: { main: { default: true }, coder: { model: "local/other" }, writer: {} },
  },
});

const inputsOf = defineRead("test-inputs", async (db, sessionKey: string) => {
  const rows = await db.selectFrom("inbox").selectAll().where("session_key", "=", sessionKey).orderBy("seq").execute();
  return rows.map(inboxItemFromRow);
});
const timersOf = defineRead("test-timers", (db, _input: null) => db.selectFrom("timers").selectAll().execute());

describeOnEveryStore("tools for sub-agents", (open) => {
  async function prepare() {
    const test = await open();
    const scene = new ToolScene(test, deep);
    await scene.session(OWN, { route: ROUTE });
    const caller = await scene.turn(OWN, { route: ROUTE });
    const spawn = async (args: Parameters<typeof caller.call>[1] = {}, id?: string) =>
      caller.call("sessions_spawn", { task: "look", ...args }, id === undefined ? {} : { id });
    return { scene, caller, spawn, clock: test.clock };
  }

  it("SP-2, SP-4: returns at once with stored ids; the child's task, rights and the spawn's route are stored with the result", async () => {
    const { scene, caller, spawn } = await prepare();
    const { result, stored } = await spawn({ label: "Scout", taskName: "scout" }, "call-1");
    expect(result).toMatchObject({ status: "accepted", mode: "run", model: "demo/switchyard" });
    expect(stored).toBe(true);
    const run = await scene.store.read(findRun, String(result.runId));
    expect(run).toMatchObject({
      route: ROUTE,
      wake: { key: OWN },
      depth: 1,
      taskName: "scout",
      expectsCompletion: true,
    });
    const [task] = await scene.store.read(inputsOf, String(result.childSessionKey));
    expect(task?.payload).toMatchObject({ kind: "task", text: "look", from: OWN });
    const again = await spawn({ label: "Scout", taskName: "scout" }, "call-1");
    expect(again.result).toEqual(result);
    expect((await caller.call("subagents", { action: "list" })).result.active).toBe(1);
  });

  it.each([
    ["delivery parameters by name", { channel: "slack", replyTo: "5" }, /"channel", "replyTo"/],
    [
      "a thread where the account is not running",
      { thread: true },
      /^thread bindings unavailable here; use mode "run"$/,
    ],
    ["session mode without a thread", { mode: "session" }, /mode "session" needs thread: true/],
    ["another runtime", { runtime: "acp", cwd: "." }, /"runtime", "cwd"/],
    ["a required sandbox", { sandbox: "require" }, /"sandbox"/],
    ["an unknown model, naming close ones", { model: "demmo/switchyard" }, /unknown model/],
    ["a reserved task name", { taskName: "last" }, /taskName/],
  ])("SP-1, SP-3, SP-7: refuses %s before anything is spawned", async (_what, args, words) => {
    const { caller, spawn } = await prepare();
    const { result } = await spawn(args);
    expect(["error", "forbidden"]).toContain(result.status);
    expect(result.error).toMatch(words);
    expect((await caller.call("subagents", { action: "list" })).result.runs).toEqual([]);
  });

  it("SP-6, FC-115: the limit of children names its setting and the runs that hold the slots; an ended one holds none", async () => {
    const { scene, caller, spawn } = await prepare();
    const runs = [await spawn({ label: "a" }), await spawn({ label: "b" }), await spawn({ label: "c" })];
    const full = await spawn({ label: "d" });
    expect(full.result.status).toBe("forbidden");
    expect(full.result.error).toContain("maxChildrenPerAgent");
    for (const { result } of runs) expect(full.result.error).toContain(String(result.runId));
    const child = await scene.next(String(runs[0]?.result.childSessionKey));
    await child.end("reply", "done");
    expect((await spawn({ label: "d" })).result.status).toBe("accepted");
    expect((await caller.call("subagents", {})).result.active).toBe(3);
  });

  it("SP-6: depth and allowAgents are refused with the setting's name", async () => {
    const { scene, spawn } = await prepare();
    expect((await spawn({ agentId: "writer" })).result).toMatchObject({
      status: "forbidden",
      error: expect.stringContaining("subagents.allowAgents"),
    });
    expect((await spawn({ agentId: "codr" })).result).toMatchObject({ hint: expect.stringContaining("coder") });
    await scene.session("agent:main:subagent:deep", { spawnedBy: key(OWN), depth: 2 });
    const { result } = await (await scene.turn("agent:main:subagent:deep")).call("sessions_spawn", { task: "x" });
    expect(result).toMatchObject({ status: "forbidden", error: expect.stringContaining("subagents.maxSpawnDepth") });
  });

  it("FC-410: an agent that may not be spawned and one that does not exist are refused alike", async () => {
    const { spawn } = await prepare();
    const hidden = (await spawn({ agentId: "writer" })).result;
    const missing = (await spawn({ agentId: "wraith" })).result;
    expect(hidden.status).toBe("forbidden");
    expect(JSON.parse(JSON.stringify(missing).replaceAll("wraith", "writer"))).toEqual(hidden);
  });

  it("SP-7, SP-8: the target agent's model counts for another agent; agents_list names both", async () => {
    const { caller, spawn } = await prepare();
    expect((await spawn({ agentId: "coder" })).result.model).toBe("local/other");
    expect((await caller.call("agents_list", {})).result.agents).toEqual([
      { id: "main", name: "main", model: "demo/switchyard" },
      { id: "coder", name: "coder", model: "local/other" },
    ]);
  });

  it("CP-8: a yield without unfinished children is an error, with some it ends the turn", async () => {
    const { caller, spawn } = await prepare();
    const idle = await caller.call("sessions_yield", {});
    expect(idle).toMatchObject({ result: { status: "error" }, ends: null });
    await spawn();
    await spawn({ expectsCompletionMessage: false });
    const { result, ends } = await caller.call("sessions_yield", { message: " sum up ", wait: "each" });
    expect(result).toMatchObject({ status: "yielded", waitingFor: 1 });
    expect(ends).toEqual({ wait: "each", note: "sum up" });
  });

  it("SB-1: a target is a run id, child key, index, task name, label prefix or `last`; another tree's run is not found", async () => {
    const { scene, caller, spawn } = await prepare();
    const first = (await spawn({ label: "Alpha one", taskName: "one" })).result;
    const second = (await spawn({ label: "Alpha two", taskName: "two" })).result;
    await scene.session("agent:main:discord:channel:2");
    const stranger = await scene.turn("agent:main:discord:channel:2");
    const steer = async (target: string, from = caller) =>
      (await from.call("subagents", { action: "steer", target, message: "left" })).result;
    for (const target of [first.runId, first.childSessionKey, "1", "one", "alpha ONE"]) {
      expect(await steer(String(target))).toMatchObject({ status: "ok", runId: first.runId });
    }
    expect(await steer("last")).toMatchObject({ runId: second.runId });
    expect(await steer("alpha")).toMatchObject({ status: "error", error: expect.stringContaining("several") });
    expect(await steer("all")).toMatchObject({ status: "error" });
    expect(await steer(String(first.runId), stranger)).toMatchObject({
      status: "error",
      error: expect.stringContaining("in this session's tree"),
    });
  });

  it("SB-2: guidance is an input of the child's next boundary; an ended run cannot be steered", async () => {
    const { scene, caller, spawn } = await prepare();
    const { runId, childSessionKey } = (await spawn()).result;
    const child = await scene.next(String(childSessionKey));
    scene.liveTurns.open(key(String(childSessionKey)));
    scene.liveTurns.takeNudge(key(String(childSessionKey)));
    await caller.call("subagents", { action: "steer", target: String(runId), message: "left" }, { id: "s1" });
    await caller.call("subagents", { action: "steer", target: String(runId), message: "left" }, { id: "s1" });
    expect(scene.liveTurns.takeNudge(key(String(childSessionKey)))).toBe(true);
    const steered = (await scene.store.read(inputsOf, String(childSessionKey))).filter(
      (item) => item.payload.kind === "steer",
    );
    expect(steered).toHaveLength(1);
    expect(steered[0]).toMatchObject({ runId, payload: { text: "left", from: OWN } });
    await child.end("error", null);
    const late = await caller.call("subagents", { action: "steer", target: String(runId), message: "left" });
    expect(late.result.error).toContain("has ended");
  });

  it("SB-2, FC-103: kill ends the child and its descendants, aborts their calls, and twice is a no-op that says so", async () => {
    const { scene, caller, spawn } = await prepare();
    const child = String((await spawn({ label: "child" })).result.childSessionKey);
    const grand = (await (await scene.next(child)).call("sessions_spawn", { task: "deeper" })).result;
    const live = scene.liveTurns.open(key(child));
    const listed = (await caller.call("subagents", { action: "list" })).result;
    expect(listed.runs).toMatchObject([
      { index: 1, label: "child", pendingChildren: 1 },
      { index: 2, depth: 2 },
    ]);
    const killed = (await caller.call("subagents", { action: "kill", target: "child" })).result;
    expect(killed.killed).toHaveLength(2);
    expect(live.signal.aborted).toBe(true);
    expect(await scene.store.read(findRun, String(grand.runId))).toMatchObject({ state: "ended", outcome: "killed" });
    const [completion] = (await scene.store.read(inputsOf, OWN)).filter((item) => item.payload.kind === "completion");
    expect(completion?.payload).toMatchObject({ text: expect.stringContaining("killed") });
    const again = (await caller.call("subagents", { action: "kill", target: "child" })).result;
    expect(again).toMatchObject({ killed: [], note: expect.stringContaining("ended already") });
  });

  it("SB-2: `all` kills every child of the session", async () => {
    const { caller, spawn } = await prepare();
    await spawn();
    await spawn();
    expect((await caller.call("subagents", { action: "kill", target: "all" })).result.killed).toHaveLength(2);
    expect((await caller.call("subagents", { action: "kill", target: "all" })).result.note).toContain("no sub-agent");
  });

  it("SB-1, FC-035: log shows the child's transcript masked, also long after it left the list", async () => {
    const { scene, caller, spawn, clock } = await prepare();
    const { runId, childSessionKey } = (await spawn({ task: "use AKIAABCDEFGHIJKLMNOP" })).result;
    await (await scene.next(String(childSessionKey))).end("reply", "done");
    clock.advance(60 * 60_000);
    expect((await caller.call("subagents", {})).result.runs).toEqual([]);
    const { result } = await caller.call("subagents", { action: "log", target: String(runId) });
    expect(result).toMatchObject({ status: "ok", contentRedacted: true });
    expect(JSON.stringify(result)).not.toContain("AKIAABC");
  });

  it("SB-4: a run past its limit ends as timeout, and an ended child is archived when its time comes", async () => {
    const { scene, spawn, clock } = await prepare();
    const { runId, childSessionKey } = (await spawn({ runTimeoutSeconds: 60 })).result;
    const deps = { store: scene.store, settings: () => deep, liveTurns: scene.liveTurns };
    const slot = { released: <T>(wait: () => Promise<T>) => wait() };
    const { signal } = new AbortController();
    const live = scene.liveTurns.open(key(String(childSessionKey)));
    await createRunTimeout(deps)(String(runId), slot, signal);
    expect((await scene.store.read(findRun, String(runId)))?.state).not.toBe("ended");
    clock.advance(60_000);
    await createRunTimeout(deps)(String(runId), slot, signal);
    expect(await scene.store.read(findRun, String(runId))).toMatchObject({ state: "ended", outcome: "timeout" });
    expect(live.signal.aborted).toBe(true);
    expect(await scene.store.read(timersOf, null)).toMatchObject([{ task: "archive", key: childSessionKey }]);
    await createArchive(deps)(String(childSessionKey), slot, signal);
    expect((await scene.read(String(childSessionKey))).archivedAt).not.toBeNull();
    expect(await scene.store.read(timersOf, null)).toEqual([]);
  });
});
