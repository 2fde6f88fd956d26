import type { Delivery, ReadBack, SendOutcome } from "../core/delivery/delivery.ts";
import type { AccountId, ChannelId } from "../core/ids.ts";
import { accountName } from "../core/ids.ts";
import type { Clock, Logger } from "../core/runtime.ts";
import type { Settings } from "../core/settings.ts";
import { parseMarkdown } from "../core/text/markdown.ts";
import { notices } from "../core/texts/chat/notices.ts";
import { deliveryRules } from "../core/texts/rules.ts";
import { pause, type Timers } from "../core/time.ts";
import type { ConversationMove } from "../store/parts/move-conversation.ts";
import { type NextDelivery, nextDelivery, openConversations } from "../store/reads/delivery/deliveries.ts";
import { type Claimed, claimDelivery, claimRepeatableDelivery } from "../store/steps/delivery/claim-delivery.ts";
import { type Settlement, settleDelivery, settleRepeatableDelivery } from "../store/steps/delivery/settle-delivery.ts";
import type { Store } from "../store/store.ts";
import type { Slot, WorkQueue } from "../work/work-queue.ts";
import { createHandOver } from "./hand-over.ts";
import {
  createLanes,
  type DeliveryAccount,
  type DeliveryAccounts,
  type DeliveryEvents,
  type Pacer,
  pacedConversation,
} from "./pacing.ts";
import { type AfterSend, decideAfterSend, dueAt } from "./retry-policy.ts";

export interface PumpOptions {
  readonly store: Store;
  readonly work: Pick<WorkQueue, "enqueue">;
  readonly accounts: DeliveryAccounts;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
  readonly settings: Pick<Settings["delivery"], "onUnconfirmed">;
  /** Moves everything of a conversation whose platform id changed; idempotent (SK-9). */
  readonly moveConversation: (move: ConversationMove) => Promise<unknown>;
  readonly events?: DeliveryEvents;
  readonly random?: () => number;
  /** Parallel sends per account. Default 16. */
  readonly perAccount?: number;
  /** How long one send may take before its outcome counts as unknown. Default 60 s. */
  readonly sendTimeoutMs?: number;
}

export interface Pump {
  /** The handler of the work task `deliver`; its key is the conversation's. */
  handle(conversation: string, slot: Slot, signal: AbortSignal): Promise<void>;
  /** Makes everything open due again: at start without, after an account came back with its name. */
  recover(account?: { readonly channel: ChannelId; readonly accountId: AccountId }): Promise<void>;
}

const ADAPTER_LOOK_MS = 10_000;
const SETTLE_RETRY_MS = 500;

/** Whether the conversation's lane continues immediately, or when to look again; null: when something changes. */
type Progress = { readonly goOn: true } | { readonly goOn: false; readonly at: number | null };
const GO_ON: Progress = { goOn: true };
const AT_END: Progress = { goOn: false, at: null };

interface Lane {
  readonly conversation: string;
  readonly slot: Slot;
  readonly signal: AbortSignal;
}

/**
 * Sends what the outbox holds, one conversation in order, conversations beside each other (DL-2): look at the oldest open
 * row, wait for its account and its limits without claiming it, claim, send, settle. A row found `sending` that this
 * process is not sending was left by a crash; its outcome is unknown (DL-3).
 */
export function createPump(options: PumpOptions): Pump {
  const { store, work, accounts, pacer, clock, timers, log } = options;
  const emit: DeliveryEvents = options.events ?? (() => undefined);
  const { finish, untilStored } = createSettling(options, emit);
  const handOver = createHandOver(options);
  const decide = createDecision(options);
  const countTrouble = createTroubleCount(emit);
  const lanes = createLanes(options.perAccount ?? 16);
  const inFlight = new Set<number>();

  async function advance(next: NextDelivery, lane: Lane): Promise<Progress> {
    const { delivery } = next;
    // A row on its way through this process settles itself and makes its conversation due.
    if (inFlight.has(delivery.id)) return AT_END;
    const { route } = delivery;
    const account = accounts.find(route.channel, route.accountId);
    if (delivery.state === "sending") {
      // Only the adapter knows what may be repeated, and it may still be loading.
      if (account !== null && !account.ready) return { goOn: false, at: clock.now() + ADAPTER_LOOK_MS };
      const outcome: SendOutcome = { outcome: "unknown", left: true, reason: deliveryRules.cutOff };
      return finish(next, lane, decide(next, outcome, account).settlement);
    }
    if (account === null) {
      const reason = deliveryRules.noAccount(route.channel, route.accountId);
      return finish(next, lane, { state: "failed", reason });
    }
    if (delivery.content.kind === "delete" && delivery.messageIds.length === 0) {
      return finish(next, lane, { state: "withdrawn", reason: deliveryRules.nothingShown });
    }
    const due = dueAt(next, clock.now());
    if (due > clock.now()) return { goOn: false, at: due };
    if (!account.ready && !mayBeTried(delivery, account)) return { goOn: false, at: clock.now() + ADAPTER_LOOK_MS };
    const place = pacedConversation(account, route);
    const held = pacer.heldUntil(place);
    if (held > clock.now()) return { goOn: false, at: held };
    // Waiting holds no slot: a slow account must not use up what the others need.
    return lane.slot.released(async () => {
      await pacer.wait(place, (ms) => pause(ms, lane.signal, timers));
      return lanes.run(accountName(route), () => send(next, account, lane));
    });
  }

  async function send(next: NextDelivery, account: DeliveryAccount, lane: Lane): Promise<Progress> {
    if (lane.signal.aborted) return AT_END;
    const held = pacer.heldUntil(pacedConversation(account, next.delivery.route));
    if (held > clock.now()) return { goOn: false, at: held };
    const repeatable = account.adapter.capabilities.idempotentSend === true;
    const claimed = await store.step(repeatable ? claimRepeatableDelivery : claimDelivery, next.delivery.id);
    if (claimed === null) return GO_ON;
    const { delivery } = claimed;
    inFlight.add(delivery.id);
    try {
      // What is answered must not be lost while its answer is seen; the claim itself may be.
      if (repeatable) await store.onDisk();
      emit({ type: "sending", delivery });
      const startedAt = performance.now();
      const outcome = await handOver(account, delivery, lane.signal);
      const sendMs = Math.round(performance.now() - startedAt);
      const decision = decide(claimed, outcome, account);
      const { readBack } = outcome;
      countTrouble(delivery, decision, outcome);
      if (decision.hold !== null) {
        pacer.hold(pacedConversation(account, delivery.route), decision.hold.bucket, decision.hold.until);
      }
      if (decision.movedTo !== null) await follow(delivery, decision.movedTo, lane.signal);
      const settlement = withLine(withLink(decision.settlement, delivery, account), { delivery, outcome, account });
      return await finish({ ...next, ...claimed }, lane, settlement, {
        sendMs,
        readBack,
      });
    } finally {
      inFlight.delete(delivery.id);
    }
  }

  async function follow(delivery: Delivery, movedTo: string, signal: AbortSignal): Promise<void> {
    const { channel, accountId, to } = delivery.route;
    log.info({ delivery: delivery.id, channel, accountId, from: to, to: movedTo }, "conversation moved");
    await untilStored(signal, () => options.moveConversation({ channel, accountId, from: to, to: movedTo }));
  }

  return {
    async handle(conversation, slot, signal) {
      while (!signal.aborted) {
        const next = await store.read(nextDelivery, conversation);
        if (next === null) return;
        const progress = await advance(next, { conversation, slot, signal });
        if (progress.goOn) continue;
        if (progress.at !== null) work.enqueue("deliver", conversation, progress.at);
        return;
      }
    },
    async recover(account) {
      for (const conversation of await store.read(openConversations, account ?? null))
        work.enqueue("deliver", conversation);
    },
  };
}

/** What is said only once waits for an account that is well: a try that fails would be its last (TB-6). */
function mayBeTried({ content }: Delivery, { mayTry }: DeliveryAccount): boolean {
  return mayTry === true && !(content.kind === "message" && content.once === true);
}

/** People in another thread get a link to the one that was made for them (TB-1). */
function withLink(settlement: Settlement, { content }: Delivery, account: DeliveryAccount): Settlement {
  if (settlement.state !== "sent" || settlement.made === undefined || content.kind !== "thread") return settlement;
  const { route } = settlement.made;
  const link = account.adapter.capabilities.threads?.link(route, content.title) ?? null;
  return { ...settlement, made: { route, link } };
}

/** FC-220: who waits for a reply that cannot be said is told so. */
function withLine(
  settlement: Settlement,
  sent: { readonly delivery: Delivery; readonly outcome: SendOutcome; readonly account: DeliveryAccount },
): Settlement {
  const { content } = sent.delivery;
  const isRefused = sent.outcome.outcome === "failed" && sent.outcome.content === true;
  if (settlement.state !== "failed" || !isRefused || (content.kind !== "message" && content.kind !== "file")) {
    return settlement;
  }
  if (content.kind === "message" && content.once === true) return settlement;
  const { rich, plain } = sent.account.adapter.renderer.render(parseMarkdown(notices.contentRefused));
  return { ...settlement, instead: { rich, plain } };
}

/** What is to become of a delivery after a send, in the words of the outbox. */
function createDecision({ clock, random = Math.random, settings }: PumpOptions) {
  return (next: Claimed, outcome: SendOutcome, account: DeliveryAccount | null): AfterSend =>
    decideAfterSend({
      delivery: next.delivery,
      outcome,
      isPreview: next.isPreview,
      idempotentSend: account?.adapter.capabilities.idempotentSend === true,
      onUnconfirmed: settings.onUnconfirmed,
      now: clock.now(),
      random: random(),
    });
}

/** Settles a claimed delivery, and tells of it. */
function createSettling({ store, accounts, clock, timers, log }: PumpOptions, emit: DeliveryEvents) {
  /** Settles in any case: an error of the store after the send must never lead to a second send (FC-009). */
  async function finish(
    next: NextDelivery,
    lane: Lane,
    settlement: Settlement,
    { sendMs, readBack }: { readonly sendMs: number; readonly readBack?: ReadBack | undefined } = { sendMs: 0 },
  ): Promise<Progress> {
    const { delivery } = next;
    if (delivery.state === "pending" && (await store.step(claimRepeatableDelivery, delivery.id)) === null) return GO_ON;
    const account = accounts.find(delivery.route.channel, delivery.route.accountId);
    const step = account?.adapter.capabilities.idempotentSend === true ? settleRepeatableDelivery : settleDelivery;
    const settled = await untilStored(lane.signal, () =>
      store.step(step, { id: delivery.id, conversation: lane.conversation, settlement, readBack }),
    );
    if (settled !== null) report(settled, next, settlement, sendMs);
    // Nothing is left to look for; a row that goes on itself is.
    return next.isLast && settled !== null && settled.state !== "pending" ? AT_END : GO_ON;
  }

  async function untilStored<T>(signal: AbortSignal, store: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await store();
      } catch (error) {
        if (signal.aborted) throw error;
        log.error({ err: error }, "a delivery could not be settled, trying again");
        await pause(SETTLE_RETRY_MS, signal, timers);
      }
    }
  }

  function report(settled: Delivery, next: NextDelivery, settlement: Settlement, sendMs: number): void {
    const { id, key, route, state, attempts, sessionKey, turnId, messageIds } = settled;
    const { channel, accountId, to, threadId } = route;
    const reason = "reason" in settlement ? settlement.reason : null;
    const ageMs = clock.now() - settled.createdAt;
    const place = { channel, accountId, to, threadId };
    const fields = { delivery: id, key, ...place, state, attempts, sessionKey, turnId, sendMs, ageMs };
    if (state === "failed" || state === "unconfirmed") log.warn({ ...fields, reason }, `delivery ${state}`);
    else log.info({ ...fields, messageIds, ...(reason === null ? {} : { reason }) }, `delivery ${state}`);
    emit({ type: "settled", delivery: settled, state, reason, sendMs, ageMs, isPreview: next.isPreview });
  }

  return { finish, untilStored };
}

/** Tells of each failure in a row that an account has, and of the first success after one. */
function createTroubleCount(emit: DeliveryEvents) {
  const streaks = new Map<string, number>();
  return function countTrouble(delivery: Delivery, decision: AfterSend, outcome: SendOutcome): void {
    const { channel, accountId } = delivery.route;
    const name = accountName(delivery.route);
    const failures = streaks.get(name) ?? 0;
    if (decision.trouble) {
      streaks.set(name, failures + 1);
      const reason = "reason" in outcome ? outcome.reason : "";
      emit({ type: "account-trouble", channel, accountId, failures: failures + 1, reason });
    } else if (outcome.outcome === "sent" && failures > 0) {
      streaks.delete(name);
      emit({ type: "account-recovered", channel, accountId });
    }
  };
}
