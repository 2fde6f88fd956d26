import { expect, it } from "vitest";
import type { DeliveryContent } from "../../../src/core/delivery/delivery.ts";
import { type DeliveryState, turnDeliveryKey } from "../../../src/core/delivery/delivery.ts";
import {
  deliveryByKey,
  listDeliveries,
  nextDelivery,
  openConversations,
} from "../../../src/store/reads/delivery/deliveries.ts";
import { beginPreview } from "../../../src/store/steps/delivery/begin-preview.ts";
import { claimDelivery } from "../../../src/store/steps/delivery/claim-delivery.ts";
import { dismissDelivery } from "../../../src/store/steps/delivery/dismiss-delivery.ts";
import { retryDelivery } from "../../../src/store/steps/delivery/retry-delivery.ts";
import { type Settlement, settleDelivery } from "../../../src/store/steps/delivery/settle-delivery.ts";
import { defineRead, defineStep, type Store } from "../../../src/store/store.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { batch, insert, message, move, removePreview, routeTo, SESSION, withdraw } from "./outbox.ts";

const A = routeTo("a");
const CONVERSATION = "chat/default/a/";
const sent = (...messageIds: string[]): Settlement => ({ state: "sent", messageIds });
const KEY = turnDeliveryKey("t1", 0);

const openTurn = defineStep("open-turn", "normal", async ({ db, now }, id: string) => {
  const turn = { id, session_key: SESSION, session_id: "s", source_json: "{}", fence: 7, begins: 1, run_id: null };
  const state = { outcome: null, error: null, stop_requested: 0, started_at: now, ended_at: null };
  await db
    .insertInto("turns")
    .values({ ...turn, ...state })
    .execute();
});

async function idOf(store: Store, key: string): Promise<number> {
  return (await store.read(deliveryByKey, key))?.id ?? 0;
}

async function settle(store: Store, key: string, settlement: Settlement): Promise<DeliveryState | undefined> {
  const id = await idOf(store, key);
  return (await store.step(settleDelivery, { id, conversation: CONVERSATION, settlement }))?.state;
}

async function send(store: Store, key: string, settlement: Settlement): Promise<DeliveryState | undefined> {
  await store.step(claimDelivery, await idOf(store, key));
  return settle(store, key, settlement);
}

async function preview(store: Store, text: string): Promise<boolean> {
  const fence = { turnId: "t1", fence: 7 };
  return store.step(beginPreview, { fence, sessionKey: SESSION, runId: null, delivery: message(KEY, A, text) });
}

function textOf(content: DeliveryContent | undefined): string {
  return content?.kind === "message" ? content.piece.plain : (content?.kind ?? "nothing");
}

describeOnEveryStore("the outbox", (open) => {
  it("FC-403, DL-2: answers to commands wait for everything else of their conversation, and their parts stay together", async () => {
    const { store } = await open();
    const commands = ["command:1:0", "command:1:1", "command:2:0", "command:2:file"].map((key) => message(key, A));
    await store.step(insert, batch(commands));
    await store.step(insert, batch([message("turn:t1:0", A), message("turn:t1:1", A)]));
    const order: string[] = [];
    const sendNext = async () => {
      const key = (await store.read(nextDelivery, CONVERSATION))?.delivery.key ?? "nothing";
      order.push(key);
      await send(store, key, sent("m"));
    };
    await sendNext();
    await sendNext();
    await sendNext();
    await store.step(insert, batch([message("turn:t2:0", A)]));
    for (let left = 4; left > 0; left -= 1) await sendNext();
    expect(order.map((key) => key.replace("command:", "/"))).toEqual([
      ...["turn:t1:0", "turn:t1:1", "/1:0", "/1:1", "turn:t2:0", "/2:0", "/2:file"],
    ]);
    expect(await store.read(nextDelivery, CONVERSATION)).toBeNull();
  });

  it("FC-125: of two claims of one row one wins, and the attempt is counted with it", async () => {
    const { store } = await open();
    await store.step(insert, batch([message("k1", A)]));
    const id = await idOf(store, "k1");
    const claims = await Promise.all([store.step(claimDelivery, id), store.step(claimDelivery, id)]);
    expect(claims.map((claim) => claim?.delivery.attempts ?? null).sort()).toEqual([1, null]);
  });

  it("DL-2: the oldest open row is next, and a settled one is not", async () => {
    const { store } = await open();
    await store.step(insert, batch([message("k1", A), message("k2", A), message("k3", routeTo("b"))]));
    expect((await store.read(nextDelivery, CONVERSATION))?.delivery.key).toBe("k1");
    expect(await send(store, "k1", sent("101"))).toBe("sent");
    expect((await store.read(nextDelivery, CONVERSATION))?.delivery.key).toBe("k2");
    expect(await store.read(openConversations, null)).toEqual([CONVERSATION, "chat/default/b/"]);
    expect(await store.read(openConversations, { channel: "chat", accountId: "other" })).toEqual([]);
  });

  it("TN-11: the end of a turn sets the final content of a preview that was sent: the same message is edited", async () => {
    const { store } = await open();
    await store.step(openTurn, "t1");
    expect(await preview(store, "Hel")).toBe(true);
    expect((await store.read(nextDelivery, CONVERSATION))?.isPreview).toBe(true);
    await send(store, KEY, sent("101"));
    await store.step(insert, batch([message(KEY, A, "Hello"), message("turn:t1:1", A)], { turnId: "t1" }));
    const next = await store.read(nextDelivery, CONVERSATION);
    expect(next).toMatchObject({ isPreview: false, delivery: { messageIds: ["101"], revision: 2, state: "pending" } });
    expect(textOf(next?.delivery.content)).toBe("Hello");
  });

  it("TN-11: final content that comes while the preview is being sent is sent as an edit afterwards", async () => {
    const { store } = await open();
    await store.step(openTurn, "t1");
    await preview(store, "Hel");
    await store.step(claimDelivery, await idOf(store, KEY));
    await store.step(insert, batch([message(KEY, A, "Hello")], { turnId: "t1" }));
    expect((await store.read(deliveryByKey, KEY))?.state).toBe("sending");
    expect(await settle(store, KEY, sent("101"))).toBe("pending");
    const next = await store.read(nextDelivery, CONVERSATION);
    expect([textOf(next?.delivery.content), next?.delivery.messageIds]).toEqual(["Hello", ["101"]]);
    expect(await send(store, KEY, sent("101"))).toBe("sent");
  });

  it("TN-11, DL-3: a preview that failed or may have arrived still takes the final content, and keeps its tries, so that it is looked for", async () => {
    const { store } = await open();
    await store.step(openTurn, "t1");
    await preview(store, "Hel");
    expect(await send(store, KEY, { state: "failed", reason: "no" })).toBe("failed");
    await store.step(insert, batch([message(KEY, A, "Hello")], { turnId: "t1" }));
    expect((await store.read(nextDelivery, CONVERSATION))?.delivery).toMatchObject({ attempts: 1, messageIds: [] });
  });

  it("TN-1: a preview of a turn that ended or was taken by another process is not written", async () => {
    const { store } = await open();
    expect(await preview(store, "Hel")).toBe(false);
    await store.step(openTurn, "t1");
    const stale = { fence: { turnId: "t1", fence: 6 }, sessionKey: SESSION, runId: null, delivery: message(KEY, A) };
    expect(await store.step(beginPreview, stale)).toBe(false);
    expect(await store.read(deliveryByKey, KEY)).toBe(null);
  });

  it("TN-11: a silent turn deletes a preview that was shown, and withdraws one that never left", async () => {
    const { store } = await open();
    await store.step(openTurn, "t1");
    await preview(store, "Hel");
    await store.step(removePreview, "t1");
    expect((await store.read(deliveryByKey, KEY))?.state).toBe("withdrawn");

    const other = await open();
    await other.store.step(openTurn, "t1");
    await preview(other.store, "Hel");
    await other.store.step(claimDelivery, await idOf(other.store, KEY));
    await other.store.step(removePreview, "t1");
    expect(await settle(other.store, KEY, sent("101"))).toBe("pending");
    const next = await other.store.read(nextDelivery, CONVERSATION);
    expect(next?.delivery).toMatchObject({ content: { kind: "delete" }, messageIds: ["101"] });
    expect(await send(other.store, KEY, { state: "withdrawn", reason: "taken back" })).toBe("withdrawn");
    expect((await other.store.read(deliveryByKey, KEY))?.messageIds).toEqual([]);
  });

  it("TN-8: a stop withdraws what no platform has seen, and leaves what is under way", async () => {
    const { store } = await open();
    await store.step(insert, batch([message("k1", A), message("k2", A), message("k3", A)], { turnId: "t1" }));
    await send(store, "k1", sent("101"));
    await store.step(claimDelivery, await idOf(store, "k2"));
    expect(await store.step(withdraw, "t1")).toBe(1);
    const rows = await store.read(listDeliveries, { lostOnly: false, limit: 10 });
    expect(rows.map((row) => row.state)).toEqual(["withdrawn", "sending", "sent"]);
  });

  it("FC-139: a final failure reaches the operator and the session's next turn; a preview's failure is not reported", async () => {
    const { store } = await open();
    await store.step(openTurn, "t1");
    await preview(store, "Hel");
    await send(store, KEY, { state: "failed", reason: "no rights" });
    await store.step(insert, batch([message("k1", A, "A long answer")], { sessionKey: SESSION }));
    await send(store, "k1", { state: "failed", reason: "bot was kicked" });
    const told = await store.read(
      defineRead("told", async (db) => ({
        failures: await db.selectFrom("failures").select(["kind", "session_key", "message"]).execute(),
        inbox: await db.selectFrom("inbox").select(["session_key", "state", "payload_json"]).execute(),
      })),
      undefined,
    );
    expect(told.failures).toHaveLength(1);
    expect(told.failures[0]?.message).toContain("bot was kicked");
    expect(told.inbox).toMatchObject([{ session_key: SESSION, state: "waiting" }]);
    const payload = JSON.parse(told.inbox[0]?.payload_json ?? "{}") as { kind: string; text: string; wakes: boolean };
    expect(payload).toMatchObject({ kind: "notice", wakes: false });
    expect(payload.text).toMatch(/^delivery_failed: .*bot was kicked.*"A long answer"$/);
  });

  it("DL-13: the operator lists failures, sends one again and dismisses another", async () => {
    const { store } = await open();
    await store.step(insert, batch([message("k1", A), message("k2", A), message("k3", A)]));
    await send(store, "k1", { state: "failed", reason: "kicked" });
    await send(store, "k2", { state: "unconfirmed", reason: "timeout" });
    await send(store, "k3", sent("103"));
    const failed = await store.read(listDeliveries, { lostOnly: true, limit: 10 });
    expect(failed.map((row) => row.key)).toEqual(["k2", "k1"]);
    expect(await store.step(retryDelivery, await idOf(store, "k1"))).toEqual({ result: "done" });
    expect(await store.step(dismissDelivery, await idOf(store, "k2"))).toEqual({ result: "done" });
    expect(await store.step(retryDelivery, await idOf(store, "k3"))).toEqual({ result: "refused", state: "sent" });
    expect(await store.step(dismissDelivery, 999)).toEqual({ result: "not_found" });
    expect(await store.read(listDeliveries, { lostOnly: true, limit: 10 })).toEqual([]);
    expect((await store.read(nextDelivery, CONVERSATION))?.delivery).toMatchObject({ key: "k1", attempts: 0 });
  });

  it("DL-4: waiting gives the attempt back and keeps the row for its time", async () => {
    const { store, clock } = await open();
    await store.step(insert, batch([message("k1", A)]));
    const nextAt = clock.now() + 40_000;
    await send(store, "k1", { state: "pending", nextAt, reason: "429", countsAttempt: false, asNewMessage: false });
    expect(await store.read(deliveryByKey, "k1")).toMatchObject({ attempts: 0, nextAt, state: "pending" });
  });

  it("SK-9: unsettled rows of a moved conversation follow it, as new messages, and the move is idempotent", async () => {
    const { store } = await open();
    const moved: string[] = [];
    store.onWork((_task, key) => void moved.push(key));
    await store.step(
      insert,
      batch([message("k1", { ...A, threadId: "5" }), message("k2", A), message("k3", routeTo("b"))]),
    );
    await send(store, "k2", sent("101"));
    moved.length = 0;
    const change = { channel: "chat", accountId: "default", from: "a", to: "a2" };
    await store.step(move, change);
    await store.step(move, change);
    expect(moved).toEqual(["chat/default/a2/5"]);
    const rows = await store.read(listDeliveries, { lostOnly: false, limit: 10 });
    expect(rows.map((row) => [row.key, row.route.to, row.route.threadId])).toEqual([
      ["k3", "b", null],
      ["k2", "a", null],
      ["k1", "a2", "5"],
    ]);
  });
});
