import type { Delivery, SendOutcome } from "../core/delivery/delivery.ts";
import { assertNever } from "../core/runtime.ts";
import { deliveryRules } from "../core/texts/rules.ts";
import { backoffMs, jittered } from "../core/time.ts";
import type { NextDelivery } from "../store/reads/delivery/deliveries.ts";
import type { Settlement } from "../store/steps/delivery/settle-delivery.ts";

const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 5 * 60_000;
const GIVE_UP_MS = 24 * 60 * 60_000;

export interface SendFacts {
  readonly delivery: Pick<Delivery, "attempts" | "messageIds" | "content">;
  readonly outcome: SendOutcome;
  readonly isPreview: boolean;
  readonly idempotentSend: boolean;
  readonly onUnconfirmed: "resend" | "hold";
  readonly now: number;
  /** 0 (inclusive) to 1 (exclusive): the jitter, so that many conversations do not come back at the same moment. */
  readonly random: number;
}

export interface AfterSend {
  readonly settlement: Settlement;
  /** A limit that the platform named: what shares it waits, and nothing else (DL-4). `bucket` null: this conversation. */
  readonly hold: { readonly bucket: string | null; readonly until: number } | null;
  /** The network or the platform, not this message, is at fault; a streak of these marks the account `degraded`. */
  readonly trouble: boolean;
  /** The platform moved the conversation: everything must follow before the next try (SK-9). */
  readonly movedTo: string | null;
}

/** DL-3, DL-4: what one send means for its delivery. Pure; this is the only place that decides about repeating. */
export function decideAfterSend(facts: SendFacts): AfterSend {
  const { outcome } = facts;
  const { content } = facts.delivery;
  const isOnce = content.kind === "message" && content.once === true;
  if (isOnce && outcome.outcome !== "sent" && !isHeldBack(outcome) && !isToBeMadeSure(facts)) {
    return decision({ state: "failed", reason: outcome.reason });
  }
  switch (outcome.outcome) {
    case "sent":
      return decision(
        facts.delivery.content.kind === "delete"
          ? { state: "withdrawn", reason: deliveryRules.takenBack }
          : sentSettlement(facts, outcome),
      );
    case "retry": {
      if (outcome.afterMs === null) return { ...decision(backOff(facts, outcome.reason)), trouble: true };
      const until = facts.now + outcome.afterMs;
      const settlement = waiting({ nextAt: until, reason: outcome.reason, countsAttempt: false });
      return { ...decision(settlement), hold: { bucket: outcome.sharesLimitWith, until } };
    }
    case "failed":
      return afterRefusal(facts, outcome);
    case "unknown":
      return { ...decision(afterUnknown(facts, outcome)), trouble: true };
    default:
      return assertNever(outcome);
  }
}

/** The one try may have been cut off in the middle, and doing it again shows one message: no crash may swallow the line. */
function isToBeMadeSure({ outcome, idempotentSend }: SendFacts): boolean {
  return outcome.outcome === "unknown" && outcome.left && idempotentSend;
}

/** The platform's own limit, or a moved chat: it was not tried yet. */
function isHeldBack(outcome: SendOutcome): boolean {
  return outcome.outcome === "retry"
    ? outcome.afterMs !== null
    : outcome.outcome === "failed" && outcome.movedTo !== null;
}

/** A thread that cannot be found does not exist (TB-7). */
function sentSettlement(facts: SendFacts, outcome: Extract<SendOutcome, { outcome: "sent" }>): Settlement {
  const { messageIds, thread } = outcome;
  if (facts.delivery.content.kind !== "thread") return { state: "sent", messageIds };
  if (thread === undefined) return { state: "failed", reason: deliveryRules.threadWithoutPlace };
  return { state: "sent", messageIds, made: { route: thread, link: null } };
}

function afterRefusal(facts: SendFacts, outcome: Extract<SendOutcome, { outcome: "failed" }>): AfterSend {
  const { reason } = outcome;
  if (outcome.movedTo !== null) {
    const settlement = waiting({ nextAt: facts.now, reason, countsAttempt: false });
    return { ...decision(settlement), movedTo: outcome.movedTo };
  }
  // The answer must not be lost because its preview was deleted; the refused edit proves that it is not shown.
  if (
    !outcome.gone &&
    outcome.content !== true &&
    facts.delivery.messageIds.length > 0 &&
    facts.delivery.content.kind === "message"
  ) {
    return decision({ state: "pending", nextAt: facts.now, reason, countsAttempt: false, asNewMessage: true });
  }
  const place = outcome.gone ? "gone" : outcome.closed === true ? "closed" : outcome.denied === true ? "denied" : null;
  return decision({ state: "failed", reason, ...(place === null ? {} : { place }) });
}

function afterUnknown(facts: SendFacts, outcome: Extract<SendOutcome, { outcome: "unknown" }>): Settlement {
  const { reason } = outcome;
  // Editing and deleting twice shows the same as once.
  const harmless = facts.delivery.messageIds.length > 0 || facts.idempotentSend || !outcome.left;
  if (harmless) return backOff(facts, reason);
  // A preview is never worth a second message: it stays away until its turn's answer comes.
  if (facts.isPreview || facts.onUnconfirmed === "hold") return { state: "unconfirmed", reason };
  return backOff(facts, reason);
}

/**
 * The tries are counted, not the age: a day without an adapter or behind a 429 uses up nothing. After the number of tries
 * whose waits add up to 24 hours the message is given up.
 */
function backOff(facts: SendFacts, reason: string): Settlement {
  const { attempts } = facts.delivery;
  if (waitedMs(attempts) >= GIVE_UP_MS) return { state: "failed", reason: deliveryRules.givenUp(attempts, reason) };
  const wait = fullWaitMs(attempts);
  return waiting({
    nextAt: facts.now + jittered(wait, facts.random),
    reason,
    countsAttempt: true,
  });
}

/**
 * When a delivery is to be tried next. A row that was written in what is the future now was written before the machine's clock was
 * set back: a wait is a length of time and must not grow by what was corrected, so it is due (DL-4).
 */
export function dueAt({ delivery, writtenAt }: Pick<NextDelivery, "delivery" | "writtenAt">, now: number): number {
  return writtenAt > now ? now : delivery.nextAt;
}

/** The full wait after the given number of tries, before jitter halves it at most. */
export function fullWaitMs(attempts: number): number {
  return backoffMs({ firstMs: 2 * FIRST_BACKOFF_MS, longestMs: MAX_BACKOFF_MS }, attempts);
}

function waitedMs(attempts: number): number {
  const growing = Math.ceil(Math.log2(MAX_BACKOFF_MS / FIRST_BACKOFF_MS));
  let waited = 0;
  for (let attempt = 1; attempt < Math.min(attempts, growing); attempt += 1) waited += fullWaitMs(attempt);
  return waited + Math.max(0, attempts - growing) * MAX_BACKOFF_MS;
}

function waiting(wait: { nextAt: number; reason: string; countsAttempt: boolean }): Settlement {
  return { state: "pending", ...wait, asNewMessage: false };
}

function decision(settlement: Settlement): AfterSend {
  return { settlement, hold: null, trouble: false, movedTo: null };
}
