import { afterEach, describe, expect, it } from "vitest";
import { failureEnd } from "../../../src/agent/turn/answer.ts";
import type { NewDelivery, Route } from "../../../src/core/delivery/delivery.ts";
import { createLocalTime } from "../../../src/core/time.ts";
import { insertDeliveries } from "../../../src/store/parts/outbox.ts";
import { exchangeFromRow, inboxItemFromRow } from "../../../src/store/rows.ts";
import { focus } from "../../../src/store/steps/runs/focus.ts";
import { resetSession } from "../../../src/store/steps/sessions/reset-session.ts";
import { stopSession } from "../../../src/store/steps/sessions/stop-session.ts";
import { endTurn } from "../../../src/store/steps/turns/end-turn.ts";
import { defineRead, defineStep } from "../../../src/store/store.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore, openTestStore, type TestStore } from "../../support/test-store.ts";
import { type Caller, key, ROUTE, ToolScene, USER } from "./tool-scene.ts";

const A = "agent:main:discord:channel:1";
const B = "agent:main:discord:channel:2";
const C = "agent:main:discord:channel:3";
const PLACE_B: Route = { ...ROUTE, to: "c2" };
const settingsWith = (session: Record<string, unknown>) =>
  testSettings({ tools: { sessions: { visibility: "agent" } }, session });

const waiting = defineRead("test-waiting", async (db, sessionKey: string) => {
  const rows = await db
    .selectFrom("inbox")
    .selectAll()
    .where("session_key", "=", sessionKey)
    .where("state", "=", "waiting")
    .orderBy("seq")
    .execute();
  return rows.map(inboxItemFromRow);
});
const exchanges = defineRead("test-exchanges", async (db, _input: null) =>
  (await db.selectFrom("exchanges").selectAll().orderBy("created_at").execute()).map(exchangeFromRow),
);

const inputsOf = defineRead("test-turn-inputs", async (db, turnId: string) =>
  (await db.selectFrom("inbox").selectAll().where("turn_id", "=", turnId).orderBy("seq").execute()).map(
    inboxItemFromRow,
  ),
);

/** As a tool that writes to a conversation does it. */
const sendNow = defineStep(
  "test-send",
  "normal",
  (context, { turnId, delivery }: { readonly turnId: string; readonly delivery: NewDelivery }) =>
    insertDeliveries(context, { deliveries: [delivery], sessionKey: null, turnId, runId: null }),
);
const deliveryKeys = defineRead("test-deliveries", async (db, turnId: string) =>
  (await db.selectFrom("deliveries").select("key").where("turn_id", "=", turnId).orderBy("id").execute()).map(
    (row) => row.key,
  ),
);

async function startsTurn(scene: ToolScene, own: string): Promise<boolean> {
  return (await scene.store.read(waiting, own)).some(({ payload }) => payload.kind !== "notice" || payload.wakes);
}

/** The same scene for the whole ways, which run on both stores, and for their branches. */
function talks(open: () => Promise<TestStore>) {
  async function prepare(session: Record<string, unknown> = {}) {
    const scene = new ToolScene(await open(), settingsWith(session));
    await scene.session(A, { route: ROUTE });
    await scene.session(B, { route: PLACE_B });
    await scene.session(C, { route: { ...ROUTE, to: "c3" } });
    const caller = await scene.turn(A, { rights: USER, route: ROUTE });
    return { scene, caller, phase: async () => (await scene.store.read(exchanges, null)).at(-1)?.phase };
  }

  /** A asks B and gets the reply inline; A's turn goes on. */
  async function ask(scene: ToolScene, caller: Caller, target = B, reply: string | null = "pong") {
    const answered = async () => {
      await expect.poll(() => scene.store.read(waiting, target), { timeout: 5_000 }).not.toEqual([]);
      const [item] = await scene.store.read(waiting, target);
      await (await scene.next(target)).end(reply === null ? "silent" : "reply", reply);
      if (item?.runId) scene.replies.tell(item.runId);
    };
    const [{ result }] = await Promise.all([
      caller.call("sessions_send", { sessionKey: target, message: "ping" }),
      answered(),
    ]);
    return result;
  }

  return { prepare, ask };
}

describeOnEveryStore("what follows a sessions_send", (open) => {
  const { prepare, ask } = talks(open);

  it("ST-24, FC-023: when the requester's turn has ended both alternate in turns without a route, each given the other's text once", async () => {
    const { scene, caller, phase } = await prepare({ agentToAgent: { maxPingPongTurns: 3 } });
    const result = await ask(scene, caller);
    expect(result).toMatchObject({ status: "ok", reply: "pong", delivery: { mode: "announce", status: "pending" } });
    expect(await scene.store.read(waiting, A)).toEqual([]);
    await caller.end("reply", "They say pong.");
    const said: string[] = [];
    for (const [own, other, text] of [
      [A, B, "from A"],
      [B, A, "from B"],
      [A, B, "again A"],
    ] as const) {
      expect(await scene.store.read(waiting, other)).toEqual([]);
      const turn = await scene.next(own);
      expect(turn.turn.source).toMatchObject({ kind: "inter_session", route: null, rights: USER });
      const [input] = await scene.store.read(inputsOf, turn.turn.id);
      expect(input?.provenance).toMatchObject({ kind: "inter_session", from: other, runId: result.runId });
      said.push(JSON.stringify(input?.payload));
      await turn.end("reply", text);
    }
    expect(said[0]).toMatch(/"text":"".*"turn":1,"of":3.*"hop":1/);
    expect(said[1]).toMatch(/"text":"from A".*"turn":2,"of":3.*"hop":2/);
    expect(said[2]).toMatch(/"text":"from B".*"turn":3,"of":3.*"hop":3/);
    expect(await phase()).toBe("announce");
  });

  it("ST-24, FC-022: a ring of three is stopped by the same cap, and the sender reads `loop_limit` with the count", async () => {
    const { scene, caller } = await prepare({ agentToAgent: { maxPingPongTurns: 4 } });
    const ring = [B, C, A];
    await caller.call("sessions_send", { sessionKey: B, message: "status", timeoutSeconds: 0 });
    await caller.end("reply", "ok");
    const statuses: unknown[] = [];
    let refusal: unknown;
    for (let at = 0; at < 10; at += 1) {
      const turn = await scene.next(ring[at % 3] ?? A);
      const { result } = await turn.call("sessions_send", {
        sessionKey: ring[(at + 1) % 3] ?? A,
        message: "status",
        timeoutSeconds: 0,
      });
      statuses.push(result.status);
      if (result.status === "forbidden") {
        refusal = result.error;
        break;
      }
      await turn.end("silent", null);
    }
    // The message that began it, and four more.
    expect(statuses).toEqual(["accepted", "accepted", "accepted", "accepted", "forbidden"]);
    expect(refusal).toMatch(/^loop_limit: .* 5 times.*maxPingPongTurns is 4/);
  });

  it("ST-26: two sessions that ask each other at the same time both come to an end within the cap", async () => {
    const { scene, caller } = await prepare({ agentToAgent: { maxPingPongTurns: 2 } });
    const other = await scene.turn(B, { rights: USER, route: PLACE_B });
    await caller.call("sessions_send", { sessionKey: B, message: "you first", timeoutSeconds: 0 });
    await other.call("sessions_send", { sessionKey: A, message: "no, you", timeoutSeconds: 0 });
    await caller.end("reply", "asked");
    await other.end("reply", "asked");
    let turns = 0;
    for (;;) {
      const due = (await Promise.all([A, B].map(async (own) => ((await startsTurn(scene, own)) ? [own] : [])))).flat();
      if (due.length === 0) break;
      for (const own of due) await (await scene.next(own)).end("reply", "and you?");
      turns += due.length;
    }
    // Each: the message, its late reply, two reply-back turns, the announcement.
    expect(turns).toBe(10);
    expect((await scene.store.read(exchanges, null)).map(({ phase }) => phase)).toEqual(["over", "over"]);
  });
});

describe("what may come in between", () => {
  const opened: TestStore[] = [];
  afterEach(async () => {
    for (const test of opened.splice(0)) await test.dispose();
  });
  const { prepare, ask } = talks(async () => {
    const test = await openTestStore();
    opened.push(test);
    return test;
  });

  it("FC-231, FC-025: the last words at the cap reach the other side as `loop_limit` with the count, and start no turn", async () => {
    const { scene, caller } = await prepare({ agentToAgent: { maxPingPongTurns: 1 } });
    await ask(scene, caller);
    await caller.end("reply", "ok");
    await (await scene.next(A)).end("reply", "one more thing");
    expect(await scene.store.read(waiting, A)).toEqual([]);
    const notices = (await scene.store.read(waiting, B)).filter(({ payload }) => payload.kind === "notice");
    expect(notices.map(({ payload }) => payload)).toEqual([
      { kind: "notice", wakes: false, text: expect.stringMatching(/^loop_limit: .* its 1 .*\none more thing$/) },
    ]);
  });

  it.each(["silent", "error"] as const)(
    "ST-24: a turn that ends %s ends the talk and leaves the announcement",
    async (outcome) => {
      const { scene, caller, phase } = await prepare();
      await ask(scene, caller);
      await caller.end("reply", "ok");
      await (await scene.next(A)).end(outcome, null);
      expect(await phase()).toBe("announce");
      expect(await scene.store.read(waiting, A)).not.toContainEqual(
        expect.objectContaining({ payload: expect.objectContaining({ kind: "inter_session" }) }),
      );
    },
  );

  it("ST-24: a first reply of silence ends the exchange, with nothing to announce", async () => {
    const { scene, caller, phase } = await prepare();
    const result = await ask(scene, caller, B, null);
    expect(result).toMatchObject({ status: "no_reply", delivery: { mode: "none", status: "skipped" } });
    await caller.end("reply", "ok");
    expect(await phase()).toBe("over");
    expect([...(await scene.store.read(waiting, A)), ...(await scene.store.read(waiting, B))]).toEqual([]);
  });

  it("ST-25: then the target is asked once, in a turn that answers in its own conversation", async () => {
    const { scene, caller, phase } = await prepare({ agentToAgent: { maxPingPongTurns: 0 } });
    await ask(scene, caller);
    await caller.end("reply", "ok");
    const turn = await scene.next(B);
    expect(turn.turn.source).toMatchObject({ kind: "inter_session", route: PLACE_B });
    await turn.end("reply", "Somebody asked me for pong.");
    expect(await phase()).toBe("over");
    expect([...(await scene.store.read(waiting, A)), ...(await scene.store.read(waiting, B))]).toEqual([]);
  });

  it("ST-25: what the turn has sent to its conversation already is not sent there a second time", async () => {
    const { scene, caller } = await prepare({ agentToAgent: { maxPingPongTurns: 0 } });
    await ask(scene, caller);
    await caller.end("reply", "ok");
    const { turn } = await scene.next(B);
    const saying = (keyOf: string, plain: string): NewDelivery => ({
      key: keyOf,
      route: PLACE_B,
      content: { kind: "message", piece: { rich: plain, plain }, replyTo: null, private: false },
    });
    await scene.store.step(sendNow, { turnId: turn.id, delivery: saying("by hand", "pong was asked for") });
    await scene.store.step(endTurn, {
      ...{ turnId: turn.id, fence: turn.fence, outcome: "reply", error: null, message: null, text: "x" },
      ...{ yielded: null, failure: null, archiveAfterMs: null },
      deliveries: [saying("end:0", "pong was asked for"), saying("end:1", "and more")],
    });
    expect(await scene.store.read(deliveryKeys, turn.id)).toEqual(["by hand", "end:1"]);
  });

  it("ST-25: an announcement whose turn fails is told to nobody: people there asked for nothing", async () => {
    const { scene, caller } = await prepare({ agentToAgent: { maxPingPongTurns: 0 } });
    await ask(scene, caller);
    await caller.end("reply", "ok");
    const { turn } = await scene.next(B);
    const ports = {
      accounts: { find: () => null },
      store: scene.store,
      clock: scene.clock,
      localTime: createLocalTime(),
      storeFile: () => Promise.reject(new Error("none")),
    };
    const items = await scene.store.read(inputsOf, turn.id);
    const end = failureEnd(
      { turn, archiveAfterMs: 0, timeZone: "UTC" },
      { outcome: "error", reason: "model", detail: "x", items },
      ports,
    );
    expect(end).toMatchObject({ deliveries: [], failure: { kind: "turn" } });
  });

  it("ST-25, TB-3: a session without a conversation, and one whose conversation is a bound thread, announces nowhere", async () => {
    for (const bound of [false, true]) {
      const { scene, caller, phase } = await prepare({ agentToAgent: { maxPingPongTurns: 0 } });
      const quiet = "agent:main:web:channel:9";
      const route = bound ? { ...ROUTE, threadId: "t9" } : null;
      await scene.session(quiet, { route });
      if (route !== null) {
        const limits = { idleMs: 0, maxAgeMs: 0 };
        await scene.store.step(focus, {
          cause: "f1",
          sessionKey: key(quiet),
          actor: "ann",
          route,
          thread: null,
          ...limits,
        });
      }
      expect(await ask(scene, caller, quiet)).toMatchObject({ status: "ok" });
      await caller.end("reply", "ok");
      expect(await phase()).toBe("over");
    }
  });

  it("ST-24, FC-018: after a late reply the talk begins when the turn that read it has ended", async () => {
    const { scene, caller, phase } = await prepare();
    const { result } = await caller.call("sessions_send", { sessionKey: B, message: "slow", timeoutSeconds: 0 });
    expect(result).toMatchObject({ status: "accepted", delivery: { mode: "announce", status: "pending" } });
    await caller.end("reply", "I asked.");
    await (await scene.next(B)).end("reply", "late");
    expect(await phase()).toBe("late");
    const reading = await scene.next(A);
    expect(reading.turn.source).toMatchObject({ route: ROUTE });
    await reading.end("reply", "They say: late.");
    expect(await phase()).toBe("reply_back");
    expect(await scene.store.read(waiting, A)).toMatchObject([
      { route: null, payload: { text: "", stage: { kind: "reply_back", turn: 1, of: 5 } } },
    ]);
  });

  it("ST-24: a parent and its own sub-agent do not talk back, and the child announces nothing", async () => {
    const { scene, caller, phase } = await prepare();
    const child = "agent:main:subagent:1";
    await scene.session(child, { spawnedBy: key(A), depth: 1, route: ROUTE });
    expect(await ask(scene, caller, child)).toMatchObject({ status: "ok", delivery: { mode: "none" } });
    await caller.end("reply", "ok");
    expect(await phase()).toBe("over");
  });

  it("ST-24: a schedule that waits for nothing starts no talk", async () => {
    const { scene } = await prepare();
    await scene.session("agent:main:cron:daily");
    const job = await scene.turn("agent:main:cron:daily");
    await job.call("sessions_send", { sessionKey: B, message: "note", timeoutSeconds: 0 });
    expect(await scene.store.read(exchanges, null)).toMatchObject([{ rounds: 0 }]);
  });

  it("ST-24, CP-11: a reset of either side ends the exchange, whatever it waits for", async () => {
    for (const [reset, late] of [
      [A, false],
      [B, false],
      [A, true],
    ] as const) {
      const { scene, caller, phase } = await prepare();
      const again = () =>
        scene.store.step(resetSession, { sessionKey: key(reset), cause: "r1", actor: "ann", archiveAfterMs: null });
      if (late) {
        await caller.call("sessions_send", { sessionKey: B, message: "slow", timeoutSeconds: 0 });
        await caller.end("reply", "I asked.");
        await again();
        await (await scene.next(B)).end("reply", "late");
      } else {
        await ask(scene, caller);
        await caller.end("reply", "ok");
        await again();
        if (reset === B) await (await scene.next(A)).end("reply", "more");
      }
      expect(await phase()).toBe("over");
      expect([...(await scene.store.read(waiting, A)), ...(await scene.store.read(waiting, B))]).toEqual([]);
    }
  });

  it("ST-24, TN-8: whoever stopped the requester wants none of it: not the reply, not the talk", async () => {
    const { scene, caller, phase } = await prepare();
    const stop = () =>
      scene.store.step(stopSession, { sessionKey: key(A), archiveAfterMs: null, before: Number.MAX_SAFE_INTEGER });
    const stopped = new AbortController();
    const sent = caller.call("sessions_send", { sessionKey: B, message: "x" }, { signal: stopped.signal });
    await expect.poll(() => scene.store.read(waiting, B), { timeout: 5_000 }).toHaveLength(1);
    await stop();
    stopped.abort(new Error("stopped"));
    await expect(sent).rejects.toThrow("stopped");
    expect(await scene.store.read(waiting, B)).toEqual([]);
    expect(await phase()).toBe("over");
    const second = await scene.turn(A, { rights: USER, route: ROUTE });
    await ask(scene, second);
    await stop();
    expect(await phase()).toBe("over");
    expect(await scene.store.read(waiting, A)).toEqual([]);
  });

  it("ST-24: work passed on through a sub-agent stays in its chain; a person's message begins a new one", async () => {
    const { scene, caller } = await prepare({ agentToAgent: { maxPingPongTurns: 1 } });
    await caller.call("sessions_send", { sessionKey: B, message: "go", timeoutSeconds: 0 });
    const asked = await scene.next(B);
    const child = (await asked.call("sessions_spawn", { task: "look" })).result;
    await asked.end("silent", null);
    await (await scene.next(String(child.childSessionKey))).end("reply", "found");
    const woken = await scene.next(B);
    expect(woken.turn.source).toMatchObject({ kind: "completion", chain: { hop: 0, visited: [A, B] } });
    const send = async (turn: Caller, sessionKey: string) =>
      (await turn.call("sessions_send", { sessionKey, message: "x", timeoutSeconds: 0 })).result.status;
    expect(await send(woken, A)).toBe("accepted");
    await woken.end("reply", "done");
    await caller.end("reply", "ok");
    const third = await scene.next(A);
    expect(third.turn.source).toMatchObject({ chain: { hop: 1 } });
    expect(await send(third, B)).toBe("forbidden");
    // A session that was not asked yet is no loop.
    expect(await send(third, C)).toBe("accepted");
    await third.end("reply", "ok");
    const person = await scene.turn(A, { rights: USER, route: ROUTE });
    expect(await send(person, B)).toBe("accepted");
  });
});
