import type { ListedSession } from "../store/reads/session-list.ts";

/**
 * Where a page of sessions begins (ST-4). Sessions are listed by their last use, and one that is used while somebody pages
 * moves to the front, so a count alone would repeat others. `nextOffset` therefore names the time the page ended at, and
 * how many of that very millisecond were shown: what nobody uses meanwhile is shown once, and nothing twice.
 */
export interface ListStart {
  /** Only sessions last used at this time or before, in milliseconds; null: all. */
  readonly notAfter: number | null;
  /** Of those, this many are passed over. */
  readonly skip: number;
}

/** More sessions than this were never used in one millisecond. */
const SAME_TIME = 1_024;
/** Smaller numbers are counts: no session is as old as the times they would stand for. */
const FIRST_TIME = 1_000_000_000;

/** Reads an `offset`: one that a page gave, or a plain count of sessions to pass over. */
export function listStart(offset: number): ListStart {
  if (offset < FIRST_TIME) return { notAfter: null, skip: offset };
  return { notAfter: Math.floor(offset / SAME_TIME), skip: offset % SAME_TIME };
}

/** The `offset` of what follows the sessions shown. */
export function offsetBehind(shown: readonly ListedSession[], start: ListStart): number {
  const last = shown.at(-1)?.session.updatedAt;
  if (last === undefined) return start.notAfter === null ? start.skip : start.notAfter * SAME_TIME + start.skip;
  const same = shown.filter(({ session }) => session.updatedAt === last).length;
  const before = start.notAfter === last ? start.skip : 0;
  return last * SAME_TIME + Math.min(before + same, SAME_TIME - 1);
}
