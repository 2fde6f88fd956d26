import type { StepContext } from "../store.ts";

/**
 * Part of a step: removes the oldest lines of the state log, by age and beyond `most` (SL-2), and the watching that nothing came
 * of for as long (SL-6). Always from the old end, so that what is left tells exactly whether something is missing (SL-5).
 * `before`: milliseconds since the epoch. Returns how many lines were removed, at most `limit`.
 */
export async function pruneStateLog(
  { db }: StepContext,
  input: { readonly before: number; readonly most: number; readonly limit: number },
): Promise<number> {
  const kept = await db
    .selectFrom("state_events")
    .select("sequence")
    .orderBy("sequence", "desc")
    .offset(input.most)
    .limit(1)
    .executeTakeFirst();
  const removed = await db
    .deleteFrom("state_events")
    .where("sequence", "in", (eb) =>
      eb
        .selectFrom("state_events")
        .select("sequence")
        .where((row) => row.or([row("at", "<", input.before), row("sequence", "<=", kept?.sequence ?? -1)]))
        .orderBy("sequence")
        .limit(input.limit),
    )
    .executeTakeFirst();
  await db
    .deleteFrom("watchers")
    .where("touched_at", "<", input.before)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("inbox")
            .select("inbox.seq")
            .whereRef("inbox.key", "=", "watchers.notice_key")
            .where("inbox.settled_at", "is", null),
        ),
      ),
    )
    .execute();
  return Number(removed.numDeletedRows);
}
