import { expect, it } from "vitest";
import { withinChain } from "../../../src/agent/model-call.ts";
import { chainStopped } from "../../../src/core/texts/agent/session-notices.ts";
import { statusCard, statusFacts } from "../../../src/sessions/status.ts";
import { chainUse } from "../../../src/store/reads/runs/chains.ts";
import { deliveryFromRow, inboxItemFromRow, runFromRow } from "../../../src/store/rows.ts";
import { stopSession } from "../../../src/store/steps/sessions/stop-session.ts";
import { appendMessage } from "../../../src/store/steps/turns/append-message.ts";
import { defineRead } from "../../../src/store/store.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore, type TestStore } from "../../support/test-store.ts";
import { assistant, type Caller, key, ROUTE, ToolScene, USER } from "./tool-scene.ts";

const A = "agent:main:discord:channel:1";
const B = "agent:main:discord:channel:2";
const C = "agent:main:discord:channel:3";

const waiting = defineRead("test-waiting", async (db, sessionKey: string) => {
  const rows = await db
    .selectFrom("inbox")
    .selectAll()
    .where("session_key", "=", sessionKey)
    .where("state", "=", "waiting")
    .execute();
  return rows.map(inboxItemFromRow);
});
const told = defineRead("test-told", async (db, _: null) =>
  (await db.selectFrom("deliveries").selectAll().where("key", "like", "chain:%").execute()).map(deliveryFromRow),
);
const openRuns = defineRead("test-open-runs", async (db, _: null) =>
  (await db.selectFrom("runs").selectAll().where("ended_at", "is", null).execute()).map(runFromRow),
);

describeOnEveryStore("a chain", (open) => {
  async function scene(test: TestStore, chains: Record<string, number> = {}) {
    const settings = testSettings({ tools: { sessions: { visibility: "agent" } }, session: { chains } });
    const made = new ToolScene(test, settings);
    for (const text of [A, B, C]) await made.session(text, { route: { ...ROUTE, to: text } });
    return made;
  }
  const send = async (turn: Caller, sessionKey: string) =>
    (await turn.call("sessions_send", { sessionKey, message: "x", timeoutSeconds: 0 })).result;
  const calls = (made: ToolScene, { turn }: Caller, tokens: number) =>
    made.store.step(appendMessage, {
      turnId: turn.id,
      fence: turn.fence,
      message: { ...assistant("x"), usage: { input: tokens, output: 0, cached: 0 } },
    });

  it("ST-28, FC-407: two messages of one turn are one chain, and what another process finds counts on", async () => {
    const test = await open();
    const made = await scene(test, { maxTurns: 2 });
    const root = await made.turn(A, { rights: USER, route: ROUTE });
    await send(root, B);
    await send(root, C);
    await root.end("reply", "done");
    await (await made.next(B)).end("silent", null);
    // Everything it knows is stored: a scene of its own stands for the program after a crash.
    const after = new ToolScene(test, made.settings);
    const second = await after.next(C);
    expect(await after.store.read(chainUse, root.turn.id)).toMatchObject({ turns: 2, origin: { sessionKey: A } });
    expect(await send(second, A)).toMatchObject({ status: "forbidden", error: expect.stringContaining("chain_limit") });
    await second.end("silent", null);
  });

  it("ST-28: at its end the conversation it comes from reads one line, its agent a notice, and a person's message goes on", async () => {
    const made = await scene(await open(), { maxTurns: 1 });
    const root = await made.turn(A, { rights: USER, route: ROUTE });
    await send(root, B);
    await send(root, C);
    await root.end("reply", "done");
    await (await made.next(B)).end("silent", null);
    expect(await made.nextIfAny(C)).toBeNull();
    expect(await made.nextIfAny(C)).toBeNull();
    const lines = await made.store.read(told, null);
    expect(lines.map(({ route, sessionKey }) => [route, sessionKey])).toEqual([[ROUTE, A]]);
    const use = await made.store.read(chainUse, root.turn.id);
    if (use === null) throw new Error("no chain");
    const text = chainStopped("session.chains.maxTurns", made.settings.session.chains, use);
    const notices = (await made.store.read(waiting, A)).filter(({ payload }) => payload.kind === "notice");
    // Beside it stands that the other session did not reply (FC-232).
    const ends = notices.filter(({ payload }) => payload.kind === "notice" && payload.text.startsWith("chain_limit"));
    expect(ends.map(({ payload }) => payload)).toEqual([{ kind: "notice", text, wakes: false }]);
    const again = await made.turn(A, { rights: USER, route: ROUTE });
    expect(await send(again, B)).toMatchObject({ status: "accepted" });
    await again.end("reply", "done");
    await (await made.next(B)).end("silent", null);
  });

  it("ST-28: a turn of a chain makes no model call beyond the limit of calls or tokens", async () => {
    for (const limits of [{ maxModelCalls: 1 }, { maxTokens: 100 }]) {
      const made = await scene(await open(), limits);
      const root = await made.turn(A, { rights: USER, route: ROUTE });
      await send(root, B);
      await root.end("reply", "done");
      const work = await made.next(B);
      const check = () => withinChain({ settings: made.settings, turn: work.turn }, made);
      await check();
      await calls(made, work, 150);
      await expect(check()).rejects.toThrow(`session.chains.${Object.keys(limits)[0]}`);
      expect(await made.store.read(told, null)).toHaveLength(1);
      await work.end("error", null);
    }
  });

  it("ST-28, FC-407, TN-8: /stop where it comes from ends all of it, in every session", async () => {
    const made = await scene(await open());
    const root = await made.turn(A, { rights: USER, route: ROUTE });
    await send(root, B);
    await root.end("reply", "done");
    const second = await made.next(B);
    await second.call("sessions_spawn", { task: "dig" });
    await send(second, C);
    const stop = { sessionKey: key(A), archiveAfterMs: null, before: Number.MAX_SAFE_INTEGER };
    const stopped = await made.store.step(stopSession, stop);
    expect(stopped).toMatchObject({ turn: false, chains: 1 });
    expect(stopped.runs).toHaveLength(1);
    expect(stopped.sessions).toContain(B);
    expect((await made.store.read(openRuns, null)).filter(({ kind }) => kind === "spawn")).toEqual([]);
    for (const text of [A, B, C]) expect(await made.nextIfAny(text)).toBeNull();
    const session = await made.read(A);
    const agent = made.settings.agents.get("main");
    if (agent === undefined) throw new Error("no agent");
    const facts = await statusFacts({ ...made, session, agent, version: "1", now: made.clock.now() });
    expect(statusCard(facts)).toContain("stopped by /stop");
    // Nothing was left to stop.
    expect(await made.store.step(stopSession, stop)).toMatchObject({ chains: 0, runs: [], turn: false });
  });
});
