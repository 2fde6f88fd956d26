import type { SessionId } from "../../../core/ids.ts";
import { defineStatement } from "../../statement.ts";
import { defineRead } from "../../store.ts";

/** How far a life's context was made smaller (TN-12). */
export interface CompactionState {
  /** Large tool results up to this message are shown shortened; 0: none. */
  readonly prunedUpTo: number;
  /** Token counts of messages up to this one tell of a context that is no more; 0: all hold. */
  readonly measuredAfter: number;
}

const stateOf = defineStatement((db, p: { readonly sessionId: SessionId }) =>
  db
    .selectFrom("compactions")
    .select((eb) => [
      eb.fn.max(eb.case().when("kind", "=", "pruning").then(eb.ref("upto_seq")).else(0).end()).as("pruned"),
      eb.fn.max("measured_seq").as("measured"),
    ])
    .where("session_id", "=", p.sessionId),
);

export const compactionState = defineRead(
  "compaction-state",
  async (db, sessionId: SessionId): Promise<CompactionState> => {
    const row = await stateOf.first(db, { sessionId });
    return { prunedUpTo: Number(row?.pruned ?? 0), measuredAfter: Number(row?.measured ?? 0) };
  },
);

/** Whether a compaction asked for by this cause was made already. */
export const hasCompaction = defineRead("has-compaction", async (db, cause: string): Promise<boolean> => {
  const row = await db.selectFrom("compactions").select("cause").where("cause", "=", cause).executeTakeFirst();
  return row !== undefined;
});
