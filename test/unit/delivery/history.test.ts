import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { NewDelivery } from "../../../src/core/delivery/delivery.ts";
import { insertDeliveries } from "../../../src/store/parts/outbox.ts";
import { traceDelivery } from "../../../src/store/reads/trace/delivery.ts";
import { dismissDelivery } from "../../../src/store/steps/delivery/dismiss-delivery.ts";
import { retryDelivery } from "../../../src/store/steps/delivery/retry-delivery.ts";
import { pruneStore } from "../../../src/store/steps/upkeep/prune-store.ts";
import { defineRead, defineStep } from "../../../src/store/store.ts";
import { tellDelivery } from "../../../src/trace/delivery-text.ts";
import { describeOnEveryStore, openTestStore, type TestStore } from "../../support/test-store.ts";
import { ChatAdapter } from "./chat-adapter.ts";
import { batch, insert, message, Outbox, routeTo } from "./outbox.ts";

const A = routeTo("a");
const countActs = defineRead("count-acts", async (db) => {
  const rows = await db.selectFrom("delivery_acts").select("id").execute();
  return rows.length;
});
const insertPreview = defineStep("insert-preview", "normal", async (context, preview: NewDelivery) => {
  await insertDeliveries(context, batch([preview]));
  await context.db.updateTable("deliveries").set({ preview: 1 }).where("key", "=", preview.key).execute();
});

/** What the first row's history says, without its times. */
async function history({ store, clock }: TestStore): Promise<readonly string[]> {
  const trace = await store.read(traceDelivery, 1);
  if (trace === null) throw new Error("there is no delivery 1");
  return tellDelivery(trace, clock.now()).history.map(([, what]) => what.replace(/ after \d+ ms/, ""));
}

describeOnEveryStore("the history of a delivery", (open) => {
  it("DL-16: a message that goes out at once writes no entry, and its row tells of the one try", async () => {
    const test = await open();
    const outbox = new Outbox(test, [new ChatAdapter()]);
    await outbox.put([message("k1", A)]);
    await outbox.idle();
    expect(await test.store.read(countActs, undefined)).toBe(0);
    expect(await history(test)).toEqual(["written to the outbox", "try 1: sent as message 101"]);
  });

  it("DL-16: every try is told with its outcome, the platform's words and what was read back", async () => {
    const test = await open();
    const chat = new ChatAdapter();
    const outbox = new Outbox(test, [chat], { settings: { onUnconfirmed: "resend" } });
    chat.faults.push(
      { outcome: { outcome: "retry", afterMs: 3_000, sharesLimitWith: null, reason: "429: slow down" } },
      { outcome: { outcome: "unknown", left: true, reason: "socket closed" } },
      { outcome: { outcome: "sent", messageIds: ["7"], readBack: "found" } },
    );
    await outbox.put([message("k1", A)]);
    await outbox.next();
    await outbox.next();
    expect(await history(test)).toEqual([
      "written to the outbox",
      "try 1: not sent, will retry; 429: slow down",
      "try 2: not sent, will retry; socket closed",
      "try 3: sent as message 7; checked the platform for an earlier try: found",
    ]);
  });

  it("DL-13, DL-16: what the operator does with it is told, and goes with it in the end", async () => {
    const test = await open();
    const chat = new ChatAdapter();
    const outbox = new Outbox(test, [chat]);
    const refused = { outcome: { outcome: "failed", reason: "blocked", gone: true, movedTo: null } } as const;
    chat.faults.push(refused, refused);
    await outbox.put([message("k1", A)]);
    await outbox.idle();
    await test.store.step(retryDelivery, 1);
    await outbox.idle();
    await test.store.step(dismissDelivery, 1);
    expect(await history(test)).toEqual([
      "written to the outbox",
      "try 1: failed permanently; blocked",
      "retried by the operator",
      "try 2: failed permanently; blocked",
      "dismissed by the operator",
    ]);
    test.clock.advance(2_000);
    const settledBefore = test.clock.now() - 1_000;
    await test.store.step(pruneStore, { eventsBefore: 0, settledBefore, stateEvents: 10, limit: 10 });
    expect(await test.store.read(countActs, undefined)).toBe(0);
  });
});

describe("a history that grows", () => {
  let test: TestStore;
  beforeEach(async () => {
    test = await openTestStore();
  });
  afterEach(() => test.dispose());

  it("DL-16, TN-11: a preview and the answer it becomes are two tries of one row", async () => {
    const chat = new ChatAdapter();
    const outbox = new Outbox(test, [chat]);
    await test.store.step(insertPreview, message("k1", A, "whole"));
    await outbox.idle();
    await test.store.step(insert, batch([message("k1", A, "whole answer")]));
    await outbox.idle();
    expect(await history(test)).toEqual([
      "written to the outbox",
      "try 1 (preview): sent as message 101",
      "try 2: sent as message 101",
    ]);
  });

  it("DL-16: a day of tries is bounded: the first fifty one by one, then the newest with how many were before it", async () => {
    const chat = new ChatAdapter();
    const outbox = new Outbox(test, [chat]);
    const down = { outcome: { outcome: "retry", afterMs: null, sharesLimitWith: null, reason: "503" } } as const;
    chat.faults.push(...Array.from({ length: 60 }, () => down));
    await outbox.put([message("k1", A)]);
    for (let tries = 1; tries < 60; tries += 1) await outbox.next();
    const told = await history(test);
    expect(told).toHaveLength(51);
    expect(told.at(-1)).toBe("try 60: not sent, will retry; 503; 10 earlier tries not listed");
    expect(told.at(-2)).toBe("try 49: not sent, will retry; 503");
  });
});
