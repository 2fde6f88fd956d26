import type { Delivery, DeliveryContent, NewDelivery } from "../../../src/core/delivery/delivery.ts";
import { conversationKey, type Route } from "../../../src/core/delivery/delivery.ts";
import type { SessionKey } from "../../../src/core/session/session-key.ts";
import type { DeliveryAccount, DeliveryEvent } from "../../../src/delivery/pacing.ts";
import { createPacer } from "../../../src/delivery/pacing.ts";
import { createPump, type Pump, type PumpOptions } from "../../../src/delivery/pump.ts";
import { type ConversationMove, moveDeliveries } from "../../../src/store/parts/move-conversation.ts";
import {
  type DeliveryBatch,
  deletePreview,
  insertDeliveries,
  withdrawUnsent,
} from "../../../src/store/parts/outbox.ts";
import { listDeliveries } from "../../../src/store/reads/delivery/deliveries.ts";
import { defineStep } from "../../../src/store/store.ts";
import type { Slot } from "../../../src/work/work-queue.ts";
import { silentLog, type TestStore } from "../../support/test-store.ts";
import type { ChatAdapter } from "./chat-adapter.ts";

export const insert = defineStep("insert", "normal", (context, batch: DeliveryBatch) =>
  insertDeliveries(context, batch),
);
export const removePreview = defineStep("remove-preview", "normal", (context, turnId: string) =>
  deletePreview(context, turnId),
);
export const withdraw = defineStep("withdraw", "normal", (context, turnId: string) =>
  withdrawUnsent(context, { turnId, reason: "stopped" }),
);
export const move = defineStep("move", "full", (context, input: ConversationMove) => moveDeliveries(context, input));

export function routeTo(to: string, changes: Partial<Route> = {}): Route {
  return { channel: "chat", accountId: "default", to, threadId: null, ...changes };
}

export function message(key: string, route: Route, text = key): NewDelivery {
  const content: DeliveryContent = {
    kind: "message",
    piece: { rich: `<p>${text}</p>`, plain: text },
    replyTo: null,
    private: false,
  };
  return { key, route, content };
}

export function batch(deliveries: readonly NewDelivery[], changes: Partial<DeliveryBatch> = {}): DeliveryBatch {
  return { deliveries, sessionKey: null, turnId: null, runId: null, ...changes };
}

const slot: Slot = { released: (wait) => wait() };

/** The pump on a real store, with the keyed work queue's promises kept in the simplest way: one run per key at a time. */
export class Outbox {
  readonly test: TestStore;
  readonly pump: Pump;
  readonly events: DeliveryEvent[] = [];
  /** When each conversation asked to be looked at again. */
  readonly later = new Map<string, number>();
  readonly accounts = new Map<string, DeliveryAccount>();
  readonly stop = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  readonly #again = new Set<string>();

  constructor(test: TestStore, adapters: readonly ChatAdapter[], options: Partial<PumpOptions> = {}) {
    this.test = test;
    for (const adapter of adapters) this.connect(adapter);
    this.pump = createPump({
      store: test.store,
      work: { enqueue: (_task, key, at) => this.enqueue(key, at) },
      accounts: { find: (channel, accountId) => this.accounts.get(`${channel}/${accountId}`) ?? null },
      pacer: createPacer(test.clock),
      clock: test.clock,
      timers: { after: (ms, run) => this.#passTime(ms, run) },
      log: silentLog,
      settings: { onUnconfirmed: "resend" },
      moveConversation: (input) => test.store.step(move, input),
      events: (event) => void this.events.push(event),
      random: () => 0,
      ...options,
    });
    test.store.onWork((task, key, at) => {
      if (task === "deliver") this.enqueue(key, at);
    });
  }

  connect(adapter: ChatAdapter, changes: Partial<DeliveryAccount> = {}): void {
    const account = { adapter, ready: true, pacing: true, ...changes };
    this.accounts.set(`${adapter.channel}/${adapter.accountId}`, account);
  }

  enqueue(key: string, at?: number): void {
    if (at !== undefined && at > this.test.clock.now()) {
      this.later.set(key, at);
      return;
    }
    if (this.#running.has(key)) {
      this.#again.add(key);
      return;
    }
    const run = this.pump.handle(key, slot, this.stop.signal).finally(() => {
      this.#running.delete(key);
      if (this.#again.delete(key)) this.enqueue(key);
    });
    this.#running.set(key, run);
  }

  put(deliveries: readonly NewDelivery[], changes: Partial<DeliveryBatch> = {}): Promise<void> {
    return this.test.store.step(insert, batch(deliveries, changes));
  }

  /** Resolves when nothing runs any more. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /** Moves the clock to the next time somebody waits for, and does what is due then. */
  async next(): Promise<number> {
    await this.idle();
    const at = Math.min(...this.later.values());
    const waited = at - this.test.clock.now();
    this.test.clock.advance(Math.max(0, waited));
    for (const [key, due] of this.later) {
      if (due > this.test.clock.now()) continue;
      this.later.delete(key);
      this.enqueue(key);
    }
    await this.idle();
    return waited;
  }

  async rows(): Promise<Delivery[]> {
    return (await this.test.store.read(listDeliveries, { lostOnly: false, limit: 1000 })).reverse();
  }

  async states(): Promise<string[]> {
    return (await this.rows()).map((row) => row.state);
  }

  dueAt(route: Route): number | undefined {
    return this.later.get(conversationKey(route));
  }

  /** Pauses pass at once and move the clock; the limits of a send never come in these tests unless a test gives timers. */
  #passTime(ms: number, run: () => void): () => void {
    if (ms >= 60_000) return () => undefined;
    let cancelled = false;
    setImmediate(() => {
      if (cancelled) return;
      this.test.clock.advance(ms);
      run();
    });
    return () => {
      cancelled = true;
    };
  }
}

export const SESSION = "agent:main:chat:group:g1" as SessionKey;
