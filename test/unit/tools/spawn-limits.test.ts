import { describe, expect, it } from "vitest";
import { NO_RIGHTS } from "../../../src/core/session/rights.ts";
import { insertInput } from "../../../src/store/parts/inputs.ts";
import { findRun } from "../../../src/store/reads/runs/runs.ts";
import { openWork } from "../../../src/store/reads/upkeep/open-work.ts";
import { inboxItemFromRow } from "../../../src/store/rows.ts";
import { focus } from "../../../src/store/steps/runs/focus.ts";
import { retryCompletion } from "../../../src/store/steps/runs/retry-completion.ts";
import { archiveSession } from "../../../src/store/steps/sessions/archive-session.ts";
import { defineRead, defineStep } from "../../../src/store/store.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore, openTestStore } from "../../support/test-store.ts";
import { type Caller, key, ROUTE, ToolScene } from "./tool-scene.ts";

const OWN = "agent:main:discord:channel:1";
const settingsWith = (subagents: Record<string, unknown>) =>
  testSettings({
    agents: {
      defaults: { model: "demo/switchyard", subagents },
      entries: { main: { default: true }, coder: { name: "Coder" } },
    },
  });

const inputsOf = defineRead("test-inputs", async (db, sessionKey: string) => {
  const rows = await db.selectFrom("inbox").selectAll().where("session_key", "=", sessionKey).orderBy("seq").execute();
  return rows.map(inboxItemFromRow);
});
const countOf = defineRead("test-count", async (db, sessionKey: string) => {
  const tables = ["sessions", "messages", "session_ids", "inbox", "turns", "watchers"] as const;
  const counts = await Promise.all(
    tables.map(async (table) => {
      const column = table === "sessions" ? "key" : table === "watchers" ? "target" : "session_key";
      const rows = await db
        .selectFrom(table)
        .selectAll()
        .where(column as never, "=", sessionKey as never)
        .execute();
      return [table, rows.length] as const;
    }),
  );
  return Object.fromEntries(counts);
});

const leaveNotice = defineStep("test-notice", "normal", async (context, sessionKey: string) => {
  await insertInput(context, {
    key: "test:notice",
    sessionKey: key(sessionKey),
    payload: { kind: "notice", text: "by the way", wakes: false },
    provenance: { kind: "system", source: "test" },
    route: null,
    rights: NO_RIGHTS,
    cause: null,
  });
});

async function spawned(caller: Caller, args: Record<string, string | boolean> = {}) {
  const { result } = await caller.call("sessions_spawn", { task: "look", ...args });
  return { runId: String(result.runId), child: String(result.childSessionKey), status: result.status };
}

describeOnEveryStore("spawning at once and deep", (open) => {
  it("SP-6: of 200 parallel spawns against a limit of 5 exactly 5 are accepted, the others name the setting", async () => {
    const scene = new ToolScene(await open(), settingsWith({ maxChildrenPerAgent: 5 }));
    await scene.session(OWN, { route: ROUTE });
    const caller = await scene.turn(OWN, { route: ROUTE });
    const results = await Promise.all(
      Array.from({ length: 200 }, async () => (await caller.call("sessions_spawn", { task: "look" })).result),
    );
    expect(results.filter(({ status }) => status === "accepted")).toHaveLength(5);
    const refused = results.filter(({ status }) => status === "forbidden");
    expect(refused).toHaveLength(195);
    for (const { error } of refused) expect(error).toContain("subagents.maxChildrenPerAgent is 5");
    expect((await caller.call("subagents", {})).result.active).toBe(5);
  });

  it("SP-6, CP-6: five levels deep, each result goes one level up and only the last to people", async () => {
    const scene = new ToolScene(await open(), settingsWith({ maxSpawnDepth: 5 }));
    await scene.session(OWN, { route: ROUTE });
    const top = await scene.turn(OWN, { route: ROUTE });
    const levels: { runId: string; child: string }[] = [];
    let caller = top;
    for (let depth = 1; depth <= 5; depth += 1) {
      const made = await spawned(caller);
      levels.push(made);
      if (depth > 1) await caller.end("reply", "delegated");
      caller = await scene.next(made.child);
    }
    expect((await caller.call("sessions_spawn", { task: "too deep" })).result).toMatchObject({
      status: "forbidden",
      error: expect.stringContaining("maxSpawnDepth is 5"),
    });
    await top.end("reply", "Started.");
    await caller.end("reply", "result of level 5");
    for (let depth = 4; depth >= 1; depth -= 1) {
      const { child, runId } = levels[depth - 1] ?? { child: "", runId: "" };
      expect(await scene.store.read(findRun, runId)).toMatchObject({ state: "waiting" });
      const turn = await scene.next(child);
      expect(turn.turn.source).toMatchObject({ kind: "completion", route: null });
      const [input] = (await scene.store.read(inputsOf, child)).filter(({ payload }) => payload.kind === "completion");
      expect(input?.payload).toMatchObject({ text: expect.stringContaining(`result of level ${depth + 1}`) });
      await turn.end("reply", `result of level ${depth}`);
    }
    const last = await scene.next(OWN);
    expect(last.turn.source).toMatchObject({ kind: "completion", route: ROUTE });
    const completions = (await scene.store.read(inputsOf, OWN)).filter(({ payload }) => payload.kind === "completion");
    expect(completions).toHaveLength(1);
    expect(completions[0]?.payload).toMatchObject({ text: expect.stringContaining("result of level 1") });
  });
});

describe("what becomes of sub-agents", () => {
  async function prepare(subagents: Record<string, unknown> = { maxSpawnDepth: 3, allowAgents: ["coder"] }) {
    const test = await openTestStore();
    const scene = new ToolScene(test, settingsWith(subagents));
    await scene.session(OWN, { route: ROUTE });
    const caller = await scene.turn(OWN, { route: ROUTE });
    return { scene, caller, [Symbol.asyncDispose]: () => test.dispose() };
  }

  it("SB-2, CP-8: killing the first of a line of three ends all, bottom up, and its requester's yield goes on", async () => {
    await using given = await prepare();
    const { scene, caller } = given;
    const first = await spawned(caller);
    const second = await spawned(await scene.next(first.child));
    const third = await spawned(await scene.next(second.child));
    const { result } = await caller.call("subagents", { action: "kill", target: first.runId });
    expect(result.killed).toEqual([third.runId, second.runId, first.runId]);
    await caller.end("yielded", null);
    expect((await scene.next(OWN)).turn.source).toMatchObject({ kind: "completion", route: ROUTE });
    await expect(scene.next(second.child)).rejects.toThrow("nothing waits");
  });

  it("VS-1, FC-034, SP-6: a sub-agent of another agent is seen, steered and read by the session that spawned it", async () => {
    await using given = await prepare();
    const { caller } = given;
    const { child, runId } = await spawned(caller, { agentId: "coder" });
    expect(child).toMatch(/^agent:coder:subagent:/);
    expect((await caller.call("sessions_history", { sessionKey: child })).result.status).toBe("ok");
    expect((await caller.call("subagents", { action: "steer", target: runId, message: "left" })).result.status).toBe(
      "ok",
    );
  });

  it("SP-1: with cleanup `delete` the session goes when its result has been handed over; the run stays listed", async () => {
    await using given = await prepare();
    const { scene, caller } = given;
    const { child, runId } = await spawned(caller, { cleanup: "delete", label: "Once" });
    await (await scene.next(child)).end("reply", "the result");
    const clean = () => scene.store.step(archiveSession, key(child));
    const due = async () =>
      (await scene.store.read(openWork, undefined)).filter(({ task, key: of }) => task === "archive" && of === child);
    expect(await clean()).toBe("later");
    await caller.end("reply", "Started.");
    const reading = await scene.next(OWN);
    await reading.end("reply", "It says: the result.");
    scene.clock.advance(1);
    expect((await due()).map(({ at }) => (at ?? 0) <= scene.clock.now())).toEqual([true]);
    expect(await clean()).toBe("deleted");
    expect(await due()).toEqual([]);
    expect(await scene.store.read(countOf, child)).toEqual({
      ...{ sessions: 0, messages: 0, session_ids: 0, inbox: 0, turns: 0, watchers: 0 },
    });
    const later = await scene.turn(OWN);
    expect((await later.call("subagents", {})).result.runs).toMatchObject([{ runId, label: "Once", status: "ok" }]);
    expect((await later.call("subagents", { action: "log", target: runId })).result.error).toContain("is gone");
    expect((await later.call("sessions_history", { sessionKey: child })).result.status).toBe("forbidden");
  });

  it("SP-5, SP-1: a transcript that a fork reads on from outlives its deleted session", async () => {
    await using given = await prepare();
    const { scene, caller } = given;
    const { child } = await spawned(caller, { cleanup: "delete" });
    const parent = await scene.next(child);
    const fork = await spawned(parent, { context: "fork" });
    await parent.end("reply", "waiting");
    await (await scene.next(fork.child)).end("reply", "deep");
    await (await scene.next(child)).end("reply", "done");
    await caller.end("reply", "Started.");
    await (await scene.next(OWN)).end("reply", "ok");
    expect(await scene.store.step(archiveSession, key(child))).toBe("deleted");
    expect(await scene.store.read(countOf, child)).toMatchObject({
      sessions: 0,
      messages: expect.not.toSatisfy((n) => n === 0),
    });
  });

  it("SB-4: a line for its next turn keeps no ended sub-agent out of the archive", async () => {
    await using given = await prepare();
    const { scene, caller } = given;
    const { child } = await spawned(caller);
    await (await scene.next(child)).end("reply", "done");
    await scene.store.step(leaveNotice, child);
    expect(await scene.store.step(archiveSession, key(child))).toBe("archived");
  });

  it("SB-4, TB-4: the expiry of a bound thread is a row that a restart finds", async () => {
    await using given = await prepare();
    const { scene } = given;
    const limits = { idleMs: 60_000, maxAgeMs: 0 };
    const route = { ...ROUTE, threadId: "t1" };
    await scene.store.step(focus, { cause: "f", sessionKey: key(OWN), actor: "ann", route, thread: null, ...limits });
    expect((await scene.store.read(openWork, undefined)).map(({ task }) => task)).toContain("binding-expiry");
  });

  it("CP-2: a result whose requester's turn failed is handed over again, once per request; a delivered one is not", async () => {
    await using given = await prepare();
    const { scene, caller } = given;
    const { child, runId } = await spawned(caller);
    await (await scene.next(child)).end("reply", "the result");
    const retry = (cause: string) => scene.store.step(retryCompletion, { runId, cause });
    expect(await retry("c1")).toEqual({ result: "refused", state: "owed" });
    await caller.end("reply", "Started.");
    await (await scene.next(OWN)).end("error", null);
    expect(await retry("c2")).toEqual({ result: "done" });
    expect(await retry("c2")).toEqual({ result: "done" });
    const again = await scene.next(OWN);
    expect(again.turn.source).toMatchObject({ kind: "completion", route: ROUTE });
    const inputs = (await scene.store.read(inputsOf, OWN)).filter(({ payload }) => payload.kind === "completion");
    expect(inputs).toHaveLength(2);
    expect(inputs[1]?.payload).toEqual(inputs[0]?.payload);
    await again.end("reply", "It says: the result.");
    expect(await retry("c3")).toEqual({ result: "refused", state: "delivered" });
    expect(await scene.store.step(retryCompletion, { runId: "none", cause: "c" })).toEqual({ result: "not_found" });
  });
});
