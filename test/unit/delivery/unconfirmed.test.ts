import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { NewDelivery } from "../../../src/core/delivery/delivery.ts";
import { createPacer } from "../../../src/delivery/pacing.ts";
import { insertDeliveries } from "../../../src/store/parts/outbox.ts";
import { claimDelivery } from "../../../src/store/steps/delivery/claim-delivery.ts";
import { defineStep } from "../../../src/store/store.ts";
import { openTestStore, type TestStore } from "../../support/test-store.ts";
import { ChatAdapter } from "./chat-adapter.ts";
import { batch, insert, message, Outbox, routeTo } from "./outbox.ts";

let test: TestStore;
let chat: ChatAdapter;
beforeEach(async () => {
  test = await openTestStore();
  chat = new ChatAdapter();
});
afterEach(() => test.dispose());

const A = routeTo("a");
const HOLD = { settings: { onUnconfirmed: "hold" } } as const;
const lost = (left: boolean) => ({ outcome: { outcome: "unknown", left, reason: "socket closed" } }) as const;

const insertPreview = defineStep("insert-preview", "normal", async (context, preview: NewDelivery) => {
  await insertDeliveries(context, batch([preview]));
  await context.db.updateTable("deliveries").set({ preview: 1 }).where("key", "=", preview.key).execute();
});

/** What a crash in the middle of a send leaves: a claimed row that nobody is sending. */
async function crashedWhileSending(outbox: Outbox, keys: readonly string[]): Promise<void> {
  outbox.stop.abort();
  await outbox.put(keys.map((key) => message(key, A)));
  const [first] = await outbox.rows();
  await test.store.step(claimDelivery, first?.id ?? 0);
}

describe("a send with an unknown outcome", () => {
  it("DL-3: is repeated when the request never left, whatever the configuration says", async () => {
    const outbox = new Outbox(test, [chat], HOLD);
    chat.faults.push(lost(false));
    await outbox.put([message("k1", A)]);
    expect(await outbox.next()).toBe(1_000);
    expect(chat.texts(A)).toEqual(["k1"]);
  });

  it("DL-3: is sent again by default when it may have arrived: rather twice than never", async () => {
    const outbox = new Outbox(test, [chat]);
    chat.faults.push(lost(true));
    await outbox.put([message("k1", A)]);
    await outbox.next();
    expect(await outbox.states()).toEqual(["sent"]);
  });

  it("DL-3: counts as the final message's when a preview became one while it waited for its turn", async () => {
    const pacer = createPacer(test.clock);
    const becomesFinal = async (): Promise<void> => test.store.step(insert, batch([message("k1", A, "whole answer")]));
    const outbox = new Outbox(test, [chat], { pacer: { ...pacer, wait: becomesFinal } });
    chat.faults.push(lost(true));
    await test.store.step(insertPreview, message("k1", A, "whole"));
    await outbox.next();
    expect(await outbox.states()).toEqual(["sent"]);
    expect(chat.texts(A)).toEqual(["whole answer"]);
  });

  it("DL-3: is held as unconfirmed when the operator wants it so, and what waits behind it continues", async () => {
    const outbox = new Outbox(test, [chat], HOLD);
    chat.faults.push({ ...lost(true), accepted: true });
    await outbox.put([message("k1", A), message("k2", A)]);
    await outbox.idle();
    expect(await outbox.states()).toEqual(["unconfirmed", "sent"]);
    expect(chat.texts(A)).toEqual(["k1", "k2"]);
  });

  it("DL-3: is repeated on a platform that shows a repeated send once, although it may have arrived", async () => {
    chat = new ChatAdapter("chat", "default", { idempotentSend: true });
    const outbox = new Outbox(test, [chat], HOLD);
    chat.faults.push(lost(true));
    await outbox.put([message("k1", A)]);
    await outbox.next();
    expect(await outbox.states()).toEqual(["sent"]);
  });

  it("FC-124: what a killed process had decided is delivered by the next one", async () => {
    const killed = new Outbox(test, [chat]);
    killed.stop.abort();
    await killed.put([message("k1", A), message("k2", routeTo("b"))]);
    const next = new Outbox(test, [chat]);
    await next.pump.recover();
    await next.idle();
    expect(chat.requests).toEqual(["send 101: k1", "send 102: k2"]);
  });

  it("DL-3: a row found in the middle of its send counts as one that may have arrived: resent in its place", async () => {
    await crashedWhileSending(new Outbox(test, [chat]), ["k1", "k2"]);
    const next = new Outbox(test, [chat]);
    await next.pump.recover();
    await next.idle();
    expect(chat.texts(A)).toEqual([]);
    await next.next();
    expect(chat.texts(A)).toEqual(["k1", "k2"]);
    expect((await next.rows()).map((row) => row.attempts)).toEqual([2, 1]);
  });

  it("DL-3: with hold, a row found in the middle of its send is never sent again by itself", async () => {
    await crashedWhileSending(new Outbox(test, [chat]), ["k1", "k2"]);
    const next = new Outbox(test, [chat], HOLD);
    await next.pump.recover();
    await next.idle();
    expect(chat.texts(A)).toEqual(["k2"]);
    expect(await next.states()).toEqual(["unconfirmed", "sent"]);
  });

  it("DL-3: such a row waits for its adapter, which alone knows whether it may be repeated", async () => {
    await crashedWhileSending(new Outbox(test, [chat]), ["k1"]);
    const next = new Outbox(test, [], HOLD);
    next.connect(chat, { ready: false });
    await next.pump.recover();
    await next.idle();
    expect(await next.states()).toEqual(["sending"]);
    next.connect(new ChatAdapter("chat", "default", { idempotentSend: true }));
    await next.pump.recover();
    await next.next();
    expect(await next.states()).toEqual(["sent"]);
  });

  it("FC-125: a row that this process is sending is not taken for one left by a crash", async () => {
    const outbox = new Outbox(test, [chat]);
    let free = (): void => undefined;
    chat.faults.push({ hangsUntil: new Promise((resolve) => (free = resolve)) });
    await outbox.put([message("k1", A)]);
    await expect.poll(() => chat.inFlight).toBe(1);
    await outbox.pump.handle("chat/default/a/", { released: (wait) => wait() }, outbox.stop.signal);
    free();
    await outbox.idle();
    expect(chat.requests).toEqual(["send 101: k1"]);
    expect(await outbox.states()).toEqual(["sent"]);
  });

  it("OP-9: a stop in the middle of a send settles it before the process goes", async () => {
    const outbox = new Outbox(test, [chat]);
    chat.faults.push({ hangsUntil: new Promise(() => undefined) });
    await outbox.put([message("k1", A), message("k2", A)]);
    await expect.poll(() => chat.inFlight).toBe(1);
    outbox.stop.abort();
    await outbox.idle();
    expect(await outbox.states()).toEqual(["pending", "pending"]);
  });
});
