import { expect, it } from "vitest";
import { failureEnd } from "../../../src/agent/turn/answer.ts";
import { createLocalTime } from "../../../src/core/time.ts";
import { findRun } from "../../../src/store/reads/runs/runs.ts";
import { inboxItemFromRow } from "../../../src/store/rows.ts";
import { killRun } from "../../../src/store/steps/runs/kill-run.ts";
import { timeoutRun } from "../../../src/store/steps/runs/timeout-run.ts";
import { resetSession } from "../../../src/store/steps/sessions/reset-session.ts";
import { stopSession } from "../../../src/store/steps/sessions/stop-session.ts";
import { endTurn } from "../../../src/store/steps/turns/end-turn.ts";
import { defineRead } from "../../../src/store/store.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { key, ROUTE, ToolScene } from "./tool-scene.ts";

const OWN = "agent:main:discord:channel:1";
const deep = testSettings({
  agents: {
    defaults: { model: "demo/switchyard", subagents: { maxSpawnDepth: 2, maxChildrenPerAgent: 10 } },
    entries: { main: { default: true } },
  },
});

const completionOf = defineRead("test-completion", (db, runId: string) =>
  db
    .selectFrom("completions")
    .select(["state", "reason", "requester"])
    .where("run_id", "=", runId)
    .executeTakeFirstOrThrow(),
);
const resultsFor = defineRead("test-results", async (db, sessionKey: string) => {
  const rows = await db
    .selectFrom("inbox")
    .selectAll()
    .where("session_key", "=", sessionKey)
    .where("kind", "=", "completion")
    .orderBy("seq")
    .execute();
  return rows.map(inboxItemFromRow);
});

describeOnEveryStore("completions", (open) => {
  async function prepare() {
    const scene = new ToolScene(await open(), deep);
    await scene.session(OWN, { route: ROUTE });
    const caller = await scene.turn(OWN, { route: ROUTE });
    const spawn = async (args: Parameters<typeof caller.call>[1] = {}) => {
      const { result } = await caller.call("sessions_spawn", { task: "look", label: "ant", ...args });
      return { runId: String(result.runId), child: String(result.childSessionKey) };
    };
    const waiting = async () =>
      (await scene.store.read(resultsFor, OWN)).filter((item) => item.state === "waiting" || item.state === "held");
    return { scene, caller, spawn, waiting, completion: (id: string) => scene.store.read(completionOf, id) };
  }

  it("CP-1, CP-2, FC-001: a run's end is one completion for the session that spawned it, with the whole result and its route", async () => {
    const { scene, spawn, completion } = await prepare();
    const { runId, child } = await spawn();
    const result = `${"finding ".repeat(2_000)}end`;
    await (await scene.next(child)).end("reply", result);
    const [item, second] = await scene.store.read(resultsFor, OWN);
    expect(second).toBeUndefined();
    expect(item).toMatchObject({
      sessionKey: OWN,
      route: ROUTE,
      provenance: { kind: "completion", from: child, runId },
    });
    expect(item?.payload).toMatchObject({ text: expect.stringContaining(result) });
    expect(await completion(runId)).toMatchObject({ state: "owed", requester: OWN });
  });

  it("CP-1, FC-152: a run without words ends ok with no output, a failed one shows its failure and nothing it said", async () => {
    const { scene, spawn } = await prepare();
    const [quiet, failed] = [await spawn(), await spawn()];
    await (await scene.next(quiet.child)).end("silent", null);
    await (await scene.next(failed.child)).end("error", "half of an answer");
    const texts = (await scene.store.read(resultsFor, OWN)).map(({ payload }) => JSON.stringify(payload));
    expect(texts[0]).toMatch(/: ok\].*\(no output\)/);
    expect(texts[1]).toMatch(/: error\].*it failed/);
    expect(texts[1]).not.toContain("half of an answer");
  });

  it("CP-2, FC-006: a result that the requester answers silently is settled as silent and not handed over again", async () => {
    const { scene, caller, spawn, waiting, completion } = await prepare();
    const { runId, child } = await spawn();
    await (await scene.next(child)).end("reply", "done");
    await caller.end("reply", "Started.");
    await (await scene.next(OWN)).end("silent", null);
    expect(await completion(runId)).toMatchObject({ state: "silent" });
    expect(await waiting()).toEqual([]);
    await expect(scene.next(OWN)).rejects.toThrow("nothing waits");
  });

  it("CP-2, FC-010, FC-016: a run past its limit gives one result that says so, and ending it again gives no second", async () => {
    const { scene, spawn, waiting } = await prepare();
    const { runId, child } = await spawn({ runTimeoutSeconds: 60 });
    await scene.next(child);
    scene.clock.advance(60_000);
    expect((await scene.store.step(timeoutRun, { runId, archiveAfterMs: null })).runs).toEqual([runId]);
    expect((await scene.store.step(timeoutRun, { runId, archiveAfterMs: null })).runs).toEqual([]);
    expect((await scene.store.step(killRun, { runId, archiveAfterMs: null })).runs).toEqual([]);
    expect(await waiting()).toMatchObject([{ payload: { text: expect.stringMatching(/: timeout\].*time limit/s) } }]);
  });

  it("CP-10: without a completion asked for the run is listed and wakes nobody", async () => {
    const { scene, caller, spawn, waiting, completion } = await prepare();
    const { runId, child } = await spawn({ expectsCompletionMessage: false });
    await (await scene.next(child)).end("reply", "done");
    expect(await waiting()).toEqual([]);
    expect(await completion(runId)).toMatchObject({ state: "silent" });
    expect((await caller.call("subagents", {})).result.runs).toMatchObject([{ runId, status: "ok" }]);
  });

  it("CP-2, CP-6, FC-100, FC-186: a child that yields is waiting; its own child's result goes to it, and its completion comes afterwards", async () => {
    const { scene, spawn, waiting } = await prepare();
    const { runId, child } = await spawn();
    const worker = await scene.next(child);
    const grand = String((await worker.call("sessions_spawn", { task: "deeper" })).result.childSessionKey);
    await worker.end("yielded", null);
    expect(await scene.store.read(findRun, runId)).toMatchObject({ state: "waiting" });
    await (await scene.next(grand)).end("reply", "deep result");
    expect(await waiting()).toEqual([]);
    expect(await scene.store.read(resultsFor, child)).toMatchObject([{ provenance: { from: grand }, route: null }]);
    await (await scene.next(child)).end("reply", "the whole result");
    expect(await waiting()).toMatchObject([{ payload: { text: expect.stringContaining("the whole result") } }]);
  });

  it("CP-11, TN-8: a result that waits when a person resets or stops the requester is listed as silent and starts nothing", async () => {
    for (const [how, reason] of [
      ["reset", "the requester was reset"],
      ["stop", "stopped"],
    ] as const) {
      const { scene, caller, spawn, completion } = await prepare();
      const [waiting, running] = [await spawn(), await spawn()];
      await (await scene.next(waiting.child)).end("reply", "done");
      await caller.end("reply", "Started.");
      const common = { sessionKey: key(OWN), archiveAfterMs: null };
      if (how === "reset") await scene.store.step(resetSession, { ...common, cause: "c1", actor: "7" });
      else await scene.store.step(stopSession, { ...common, before: Number.MAX_SAFE_INTEGER });
      expect(await completion(waiting.runId)).toMatchObject({ state: "silent", reason });
      expect(await completion(running.runId)).toMatchObject({ state: "silent", reason: "stopped" });
      await expect(scene.next(OWN)).rejects.toThrow("nothing waits");
    }
  });

  it("CP-11, TN-8: a result that a stopped turn was reading is settled too", async () => {
    const { scene, caller, spawn, completion } = await prepare();
    const { runId, child } = await spawn();
    await (await scene.next(child)).end("reply", "done");
    await caller.end("reply", "Started.");
    await scene.next(OWN);
    await scene.store.step(stopSession, {
      sessionKey: key(OWN),
      archiveAfterMs: null,
      before: Number.MAX_SAFE_INTEGER,
    });
    expect(await completion(runId)).toMatchObject({ state: "silent", reason: "stopped" });
  });

  it("CP-11: an archived requester is taken out of the archive by a result", async () => {
    const { scene, caller, spawn } = await prepare();
    const { child } = await spawn();
    await caller.end("reply", "Started.");
    await scene.archive(OWN);
    await (await scene.next(child)).end("reply", "done");
    expect((await scene.read(OWN)).archivedAt).toBeNull();
    expect((await scene.next(OWN)).turn.source).toMatchObject({ kind: "completion", route: ROUTE });
  });

  it("CP-5, CP-11: when the requester's agent is gone, people read a bounded notice of the result, and the completion says why it failed", async () => {
    const { scene, caller, spawn, completion } = await prepare();
    const { runId, child } = await spawn();
    await (await scene.next(child)).end("reply", `Found: ${"word ".repeat(2_000)}`);
    await caller.end("reply", "Started.");
    const { turn } = await scene.next(OWN);
    const failure = { outcome: "error", reason: "no_agent", detail: "main" } as const;
    const end = failureEnd(
      { turn, archiveAfterMs: 0, timeZone: "UTC" },
      { ...failure, items: await scene.store.read(resultsFor, OWN) },
      {
        store: scene.store,
        accounts: { find: () => null },
        clock: scene.clock,
        localTime: createLocalTime(),
        storeFile: () => Promise.reject(new Error()),
      },
    );
    expect(end.deliveries).toHaveLength(1);
    const [notice] = end.deliveries;
    if (notice?.content.kind !== "message") throw new Error("no message");
    expect(notice.route).toEqual(ROUTE);
    expect(notice.content.piece.plain).toMatch(
      /A sub-agent's result arrived, but I could not work on it.*"ant".*: ok.*Found: word/s,
    );
    expect(notice.content.piece.plain.length).toBeLessThan(1_700);
    await scene.store.step(endTurn, end);
    expect(await completion(runId)).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("no longer configured"),
    });
  });

  it("FC-118: ten sub-agents spawned at once all start, and each gives exactly one result", async () => {
    const { scene, caller } = await prepare();
    const spawned = await Promise.all(
      Array.from({ length: 10 }, () => caller.call("sessions_spawn", { task: "look" })),
    );
    const children = spawned.map(({ result }) => String(result.childSessionKey));
    expect(new Set(children).size).toBe(10);
    await Promise.all(children.map(async (child) => (await scene.next(child)).end("reply", "done")));
    const results = await scene.store.read(resultsFor, OWN);
    expect(results.map(({ provenance }) => provenance.kind === "completion" && provenance.from).toSorted()).toEqual(
      children.toSorted(),
    );
  });

  it("FC-155: a result for the requester alone has no route, and one for the conversation keeps the spawn's", async () => {
    const { scene, spawn } = await prepare();
    for (const completionTarget of ["parent", "channel"]) {
      await (await scene.next((await spawn({ completionTarget })).child)).end("reply", "done");
    }
    expect((await scene.store.read(resultsFor, OWN)).map(({ route }) => route)).toEqual([null, ROUTE]);
  });
});
