import { z } from "zod";
import { asSessionKey } from "../core/session/session-key.ts";
import type { ListedSession, SessionCursor } from "../store/reads/sessions/session-list.ts";

/**
 * Where a page of sessions begins (ST-4). Sessions are listed by their last use, and one that is used while somebody pages
 * moves to the front, so a count would repeat others and pass over some. `nextOffset` therefore names the place the page
 * ended at: a time, or, when the next session was used in the very same millisecond, that time and the last key shown.
 */
export interface ListStart {
  /** Only what is listed behind this place; null: from the front. */
  readonly behind: SessionCursor | null;
  /** Of those, this many are passed over. */
  readonly skip: number;
}

export const offsetInput = z.union([z.int().min(0), z.string().max(1_000)]);

/** Smaller numbers are counts: no session is as old as the times they would stand for. */
const FIRST_TIME = 1_000_000_000;
const PLACE = /^(\d{1,16})\/(.+)$/s;

/** Reads an `offset`: one that a page gave, or a plain count of sessions to pass over. Null: it is neither. */
export function listStart(offset: number | string): ListStart | null {
  // Models like to write numbers as texts.
  if (typeof offset === "string" && /^\d{1,15}$/.test(offset)) return listStart(Number(offset));
  if (typeof offset === "number") {
    if (offset < FIRST_TIME) return { behind: null, skip: offset };
    return { behind: { updatedAt: offset, key: null }, skip: 0 };
  }
  const [, time, text = ""] = PLACE.exec(offset) ?? [];
  const key = asSessionKey(text);
  return key === null ? null : { behind: { updatedAt: Number(time), key }, skip: 0 };
}

/** The `offset` of what follows the last session shown; `next` is the first that was not. */
export function offsetBehind(last: ListedSession, next: ListedSession): number | string {
  const { updatedAt, key } = last.session;
  return next.session.updatedAt === updatedAt ? `${updatedAt}/${key}` : updatedAt;
}
