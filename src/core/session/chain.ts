import type { SessionKey } from "./session-key.ts";

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
