import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Delivery, DeliveryContent } from "../../../src/core/delivery/delivery.ts";
import { StoreError } from "../../../src/core/errors.ts";
import { notices } from "../../../src/core/texts/chat/notices.ts";
import { systemTimers } from "../../../src/core/time.ts";
import { createHandOver } from "../../../src/delivery/hand-over.ts";
import { settleDelivery } from "../../../src/store/steps/delivery/settle-delivery.ts";
import type { Step } from "../../../src/store/store.ts";
import { openTestStore, silentLog, type TestStore } from "../../support/test-store.ts";
import { ChatAdapter } from "./chat-adapter.ts";
import { message, Outbox, routeTo } from "./outbox.ts";

let test: TestStore;
let chat: ChatAdapter;
beforeEach(async () => {
  test = await openTestStore();
  chat = new ChatAdapter();
});
afterEach(() => test.dispose());

const A = routeTo("a");
const B = routeTo("b");
const retryIn = (afterMs: number | null, sharesLimitWith: string | null = null) =>
  ({ outcome: { outcome: "retry", afterMs, sharesLimitWith, reason: "busy" } }) as const;

describe("the pump", () => {
  it("DL-2: sends one conversation in order, each message once, with its ids recorded", async () => {
    const outbox = new Outbox(test, [chat]);
    await outbox.put([message("k1", A), message("k2", A), message("k3", A)]);
    await outbox.idle();
    expect(chat.texts(A)).toEqual(["k1", "k2", "k3"]);
    const rows = await outbox.rows();
    expect(rows.map((row) => [row.state, row.messageIds, row.attempts])).toEqual([
      ["sent", ["101"], 1],
      ["sent", ["102"], 1],
      ["sent", ["103"], 1],
    ]);
    expect(outbox.events.map((event) => event.type)).toEqual(Array(3).fill(["sending", "settled"]).flat());
  });

  it("FC-220: what cannot be said is one line for its reply, and a failed delivery for the operator", async () => {
    const outbox = new Outbox(test, [chat]);
    const refused = { outcome: "failed", reason: "AutoMod", gone: false, content: true, movedTo: null } as const;
    chat.faults.push({ outcome: refused }, { outcome: refused });
    await outbox.put([message("k1", A)]);
    await outbox.idle();
    expect(chat.texts(A)).toEqual([]);
    chat.faults.length = 0;
    chat.faults.push({ outcome: refused });
    await outbox.put([message("k2", A), message("k3", A)]);
    await outbox.idle();
    expect(chat.texts(A)).toEqual(["k3", notices.contentRefused]);
    expect((await outbox.rows()).map((row) => [row.key, row.state])).toEqual([
      ["k1", "failed"],
      ["instead:k1", "failed"],
      ["k2", "failed"],
      ["k3", "sent"],
      ["instead:k2", "sent"],
    ]);
  });

  it("FC-213, DL-8: what mentions people is posted in place of its preview, because an edit notifies no one", async () => {
    const outbox = new Outbox(test, [chat]);
    await outbox.put([message("k1", A)]);
    await outbox.idle();
    const [row] = await outbox.rows();
    const { id } = row ?? { id: 0 };
    const piece = { rich: "@ben", plain: "@ben", notifies: true } as const;
    const content = { kind: "message", piece, replyTo: null, private: false } as const;
    const handOver = createHandOver({ timers: systemTimers, log: silentLog });
    const account = { adapter: chat, ready: true, pacing: false } as const;
    const shown = { ...(row as Delivery), id, content };
    const outcome = await handOver(account, shown, AbortSignal.timeout(5_000));
    expect(outcome).toMatchObject({ outcome: "sent", messageIds: ["102"] });
    expect(chat.messages(A).map((one) => one.id)).toEqual(["102"]);
  });

  it("DL-2: inserting the same key again sends nothing twice", async () => {
    const outbox = new Outbox(test, [chat]);
    await outbox.put([message("k1", A)]);
    await outbox.idle();
    await outbox.put([message("k1", A, "another text")]);
    await outbox.idle();
    expect(chat.requests).toEqual(["send 101: k1"]);
  });

  it("DL-4: a conversation whose send hangs delays no other one", async () => {
    const outbox = new Outbox(test, [chat]);
    let free = (): void => undefined;
    chat.blocked.set("chat/default/a/", new Promise((resolve) => (free = resolve)));
    await outbox.put([message("k1", A), message("k2", B), message("k3", B)]);
    await expect.poll(() => chat.texts(B)).toEqual(["k2", "k3"]);
    expect(chat.texts(A)).toEqual([]);
    free();
    await outbox.idle();
    expect(chat.texts(A)).toEqual(["k1"]);
  });

  it("DL-4: a wait that was fixed before the clock was set back does not grow by what was corrected", async () => {
    const outbox = new Outbox(test, [chat]);
    chat.faults.push(retryIn(null));
    await outbox.put([message("k1", A), message("k2", A)]);
    await outbox.idle();
    expect(chat.texts(A)).toEqual([]);
    test.clock.advance(-6 * 3_600_000);
    await outbox.pump.recover();
    await outbox.idle();
    expect(chat.texts(A)).toEqual(["k1", "k2"]);
  });

  it("FC-092: a 429 waits its whole retry_after, uses up no attempt, and what waits behind it keeps its order", async () => {
    const outbox = new Outbox(test, [chat]);
    chat.faults.push(retryIn(6_775_000));
    await outbox.put([message("k1", A), message("k2", A), message("k3", B)]);
    await outbox.idle();
    expect(chat.texts(B)).toEqual(["k3"]);
    expect((await outbox.rows()).map((row) => row.attempts)).toEqual([0, 0, 1]);
    expect(await outbox.next()).toBe(6_775_000);
    expect(chat.texts(A)).toEqual(["k1", "k2"]);
  });

  it("DL-4: a limit that the platform names delays every conversation that shares it, and no other", async () => {
    const buckets = (route: { to: string }) => [
      { name: route.to === "c" ? "other" : "bot", intervalMs: 1, burst: 100 },
    ];
    chat = new ChatAdapter("chat", "default", { pacing: { buckets } });
    const outbox = new Outbox(test, [chat]);
    chat.faults.push(retryIn(40_000, "bot"));
    await outbox.put([message("k1", A)]);
    await outbox.idle();
    await outbox.put([message("k2", B), message("k3", routeTo("c"))]);
    await outbox.idle();
    expect(chat.requests).toEqual(["send 101: k3"]);
    expect(await outbox.next()).toBe(40_000);
    expect([...chat.texts(A), ...chat.texts(B)]).toEqual(["k1", "k2"]);
    expect((await outbox.rows()).map((row) => row.attempts)).toEqual([1, 1, 1]);
  });

  it("DL-4: network errors back off, count tries, mark the account, and a success clears it", async () => {
    const outbox = new Outbox(test, [chat]);
    chat.faults.push(retryIn(null), retryIn(null), retryIn(null));
    await outbox.put([message("k1", A)]);
    expect([await outbox.next(), await outbox.next(), await outbox.next()]).toEqual([1_000, 2_000, 4_000]);
    expect(chat.texts(A)).toEqual(["k1"]);
    const trouble = outbox.events.filter((event) => event.type.startsWith("account"));
    expect(trouble.map((event) => ("failures" in event ? event.failures : event.type))).toEqual([
      1,
      2,
      3,
      "account-recovered",
    ]);
  });

  it("DL-4: an adapter that is down uses up no attempt, and recovery sends what waited", async () => {
    const outbox = new Outbox(test, [chat]);
    outbox.connect(chat, { ready: false });
    await outbox.put([message("k1", A)]);
    for (let look = 0; look < 5; look += 1) await outbox.next();
    expect((await outbox.rows()).map((row) => [row.state, row.attempts])).toEqual([["pending", 0]]);
    outbox.connect(chat);
    await outbox.pump.recover({ channel: "chat", accountId: "default" });
    await outbox.idle();
    expect(chat.texts(A)).toEqual(["k1"]);
  });

  it("DL-4, FC-071: while only the line that brings events is down, what may be tried twice is sent, and the rest waits", async () => {
    const outbox = new Outbox(test, [chat]);
    outbox.connect(chat, { ready: false, mayTry: true });
    const only = message("only once", B);
    await outbox.put([message("k1", A), { ...only, content: { ...only.content, once: true } as DeliveryContent }]);
    await outbox.next();
    expect([chat.texts(A), chat.texts(B)]).toEqual([["k1"], []]);
    outbox.connect(chat);
    await outbox.pump.recover({ channel: "chat", accountId: "default" });
    await outbox.idle();
    expect(chat.texts(B)).toEqual(["only once"]);
  });

  it("FC-090: a removed account fails immediately, and no other account is used", async () => {
    const outbox = new Outbox(test, [chat]);
    await outbox.put([message("k1", routeTo("a", { accountId: "removed" }))]);
    await outbox.idle();
    expect(chat.requests).toEqual([]);
    expect(await outbox.rows()).toMatchObject([
      { state: "failed", reason: 'no account "removed" of chat is configured' },
    ]);
  });

  it("FC-169: a permanent refusal fails immediately and the lane continues", async () => {
    const outbox = new Outbox(test, [chat]);
    chat.faults.push({ outcome: { outcome: "failed", reason: "bot was blocked", gone: true, movedTo: null } });
    await outbox.put([message("k1", A), message("k2", A)]);
    await outbox.idle();
    expect((await outbox.rows()).map((row) => [row.state, row.reason])).toEqual([
      ["failed", "bot was blocked"],
      ["sent", null],
    ]);
  });

  it("FC-055: a moved conversation takes its rows along and the message goes to the new one", async () => {
    const outbox = new Outbox(test, [chat]);
    chat.faults.push({ outcome: { outcome: "failed", reason: "upgraded", gone: false, movedTo: "a2" } });
    await outbox.put([message("k1", A), message("k2", A)]);
    await outbox.idle();
    expect(chat.texts(routeTo("a2"))).toEqual(["k1", "k2"]);
    expect((await outbox.rows()).map((row) => [row.route.to, row.attempts])).toEqual([
      ["a2", 1],
      ["a2", 1],
    ]);
  });

  it("FC-009: when the store fails after the send, only the settling is repeated", async () => {
    const { store } = test;
    let failures = 3;
    const flaky = {
      ...store,
      read: store.read.bind(store),
      step: <I, O>(step: Step<I, O>, input: I): Promise<O> => {
        if (step.name === settleDelivery.name && failures-- > 0) {
          return Promise.reject(new StoreError("store_full", "the disk is full", { retryable: true }));
        }
        return store.step(step, input);
      },
    };
    const outbox = new Outbox(test, [chat], { store: flaky });
    await outbox.put([message("k1", A)]);
    await outbox.idle();
    expect(chat.requests).toEqual(["send 101: k1"]);
    expect(await outbox.states()).toEqual(["sent"]);
  });

  it("DL-3: an adapter that throws leaves an unknown outcome, not a stuck lane", async () => {
    const outbox = new Outbox(test, [chat], { settings: { onUnconfirmed: "hold" } });
    chat.faults.push({ throws: new Error("bug") });
    await outbox.put([message("k1", A), message("k2", A)]);
    await outbox.idle();
    expect((await outbox.rows()).map((row) => [row.state, row.reason])).toEqual([
      ["unconfirmed", "bug"],
      ["sent", null],
    ]);
  });

  it("DL-4: one account never has more than its share of sends under way", async () => {
    const outbox = new Outbox(test, [chat], { perAccount: 2 });
    await outbox.put(Array.from({ length: 12 }, (_, index) => message(`k${index}`, routeTo(`c${index}`))));
    await outbox.idle();
    expect(chat.requests).toHaveLength(12);
    expect(chat.maxInFlight).toBe(2);
  });
});
