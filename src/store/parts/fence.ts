import { StoreError } from "../../core/errors.ts";
import type { Turn, TurnFence } from "../../core/session/turn.ts";
import { turnFromRow } from "../rows.ts";
import { defineStatement } from "../statement.ts";
import type { StepContext } from "../store.ts";

/** The turn was ended, or another process took it: whoever asked must stop working on it at once. */
export function fencedError(turnId: string): StoreError {
  return new StoreError("turn_fenced", `turn ${turnId} is no longer this process's`, { retryable: false });
}

export function isFenced(error: unknown): boolean {
  return error instanceof StoreError && error.code === "turn_fenced";
}

const openTurn = defineStatement((db, p: TurnFence) =>
  db
    .updateTable("turns")
    .set({ begins: 0 })
    .where("id", "=", p.turnId)
    .where("fence", "=", p.fence)
    .where("ended_at", "is", null)
    .returningAll(),
);

/**
 * Part of every step of a turn (TN-1): writes nothing unless the turn is open and the fence current, and notes that a new
 * step was stored, so that only turns that get nowhere count as begun in vain (TN-2).
 */
export async function passFence({ db }: StepContext, { turnId, fence }: TurnFence): Promise<Turn> {
  const row = await openTurn.first(db, { turnId, fence });
  if (row === undefined) throw fencedError(turnId);
  return turnFromRow(row);
}
