import type { Route } from "../delivery/route.ts";
import type { CallId, RunId, SessionId, TurnId } from "../ids.ts";
import type { Rights } from "./rights.ts";
import type { SessionKey } from "./session-key.ts";

/** How an exchange's reply travels: decided once, by compare-and-set (ST-21). */
export type ExchangeState = "waiting" | "replied" | "expired" | "closed";

/**
 * What an exchange waits for (ST-24, ST-25): the target's first reply; the end of the requester's turn that was given the
 * reply inline, or of the one that reads it late; a reply-back turn; the announcement.
 */
export type ExchangePhase = "asked" | "answered" | "late" | "reply_back" | "announce" | "over";

/** What an inter-session input is within its exchange. Odd reply-back turns are the requester's, even ones the target's. */
export type ExchangeStage =
  | { readonly kind: "message" }
  | { readonly kind: "late_reply" }
  | { readonly kind: "reply_back"; readonly turn: number; readonly of: number }
  | { readonly kind: "announce" };

/** One `sessions_send` and all that follows from it. */
export interface Exchange {
  readonly runId: RunId;
  readonly callId: CallId;
  readonly from: SessionKey;
  readonly to: SessionKey;
  /** The lives it belongs to: a reset of either side ends it (ST-24). */
  readonly fromSessionId: SessionId;
  readonly toSessionId: SessionId;
  /** The requester's turn that asked. */
  readonly fromTurnId: TurnId;
  readonly state: ExchangeState;
  /** When waiting ends; null: it never waited. */
  readonly deadline: number | null;
  /** Where the requester's turn answers; a late reply is read there. */
  readonly route: Route | null;
  /** The lower of both sides (TN-14): every turn of the exchange works with them. */
  readonly rights: Rights;
  readonly chain: Chain;
  readonly phase: ExchangePhase;
  /** Reply-back turns begun, and how many there may be. */
  readonly round: number;
  readonly rounds: number;
  /** The target is asked in the end what its own conversation should see. */
  readonly announces: boolean;
  readonly reply: string | null;
  readonly replyStatus: "ok" | "no_reply" | "error" | null;
  readonly createdAt: number;
}

/**
 * What every inter-session message carries (ST-24, FC-022): all that was set off by one message, across all pairs of
 * sessions, is one chain, so that a ring of three is stopped by the same limit as two that answer each other.
 */
export interface Chain {
  readonly id: string;
  /** 0: the message that began it. */
  readonly hop: number;
  /** Every session that sent or got one of its messages. */
  readonly visited: readonly SessionKey[];
}

/** No chain goes further, not even through sessions that were never asked before: the largest limit one can configure. */
export const MAX_HOPS = 20;

/** The chain as the next message carries it; without one before it, a new one with this id. */
export function nextHop(
  before: Chain | null,
  message: { readonly from: SessionKey; readonly to: SessionKey; readonly id: string },
): Chain {
  const { from, to, id } = message;
  if (before === null) return { id, hop: 0, visited: [from, to] };
  return { id: before.id, hop: before.hop + 1, visited: [...new Set([...before.visited, from, to])] };
}

/**
 * True when the message after `before` may not go to `to`: the chain has had its turns and would come back to a session it
 * has visited. A session that was not asked yet may be, up to {@link MAX_HOPS}: passing work on is no loop.
 */
export function isLoop(before: Chain | null, to: SessionKey, maxTurns: number): boolean {
  if (before === null) return false;
  const hop = before.hop + 1;
  return hop > MAX_HOPS || (hop > maxTurns && before.visited.includes(to));
}
