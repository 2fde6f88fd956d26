import { defineStep, type StepContext } from "../../store.ts";

export interface PruneInput {
  readonly eventsBefore: number;
  readonly settledBefore: number;
  /** At most so many lines of the state log stay (SL-2). */
  readonly stateEvents: number;
  /** At most this many rows of each kind. */
  readonly limit: number;
}

/** Removes what is only kept for looking back and is old enough; transcripts stay. Returns the largest count of one kind. */
export const pruneStore = defineStep("prune-store", "normal", async (context, input: PruneInput): Promise<number> => {
  const { db } = context;
  const events = await db
    .deleteFrom("inbound_events")
    .where("identity", "in", (eb) =>
      eb
        .selectFrom("inbound_events")
        .select("identity")
        .where("received_at", "<", input.eventsBefore)
        .limit(input.limit),
    )
    .executeTakeFirst();
  const inputs = await db
    .deleteFrom("inbox")
    .where("seq", "in", (eb) =>
      eb
        .selectFrom("inbox")
        .select("seq")
        .where("created_at", "<", input.settledBefore)
        .where("settled_at", "is not", null)
        .orderBy("seq")
        .limit(input.limit),
    )
    .executeTakeFirst();
  const deliveries = await pruneDeliveries(context, input);
  const failures = await db
    .deleteFrom("failures")
    .where("id", "in", (eb) =>
      eb.selectFrom("failures").select("id").where("at", "<", input.settledBefore).limit(input.limit),
    )
    .executeTakeFirst();
  const exchanges = await db
    .deleteFrom("exchanges")
    .where("run_id", "in", (eb) =>
      eb
        .selectFrom("exchanges")
        .select("run_id")
        .where("created_at", "<", input.settledBefore)
        .where("over_at", "is not", null)
        .limit(input.limit),
    )
    .executeTakeFirst();
  const chains = await db
    .deleteFrom("chains")
    .where("id", "in", (eb) =>
      eb.selectFrom("chains").select("id").where("updated_at", "<", input.settledBefore).limit(input.limit),
    )
    .executeTakeFirst();
  const log = await pruneStateLog(context, {
    before: input.settledBefore,
    most: input.stateEvents,
    limit: input.limit,
  });
  return Math.max(
    log,
    deliveries,
    ...[events, inputs, failures, exchanges, chains].map((result) => Number(result.numDeletedRows)),
  );
});

/** With their history (DL-16). */
async function pruneDeliveries({ db }: StepContext, { settledBefore, limit }: PruneInput): Promise<number> {
  const old = await db
    .selectFrom("deliveries")
    .select("id")
    .where("created_at", "<", settledBefore)
    .where("state", "in", ["sent", "withdrawn", "failed"])
    .orderBy("id")
    .limit(limit)
    .execute();
  if (old.length === 0) return 0;
  const ids = old.map(({ id }) => id);
  await db.deleteFrom("delivery_acts").where("delivery_id", "in", ids).execute();
  await db.deleteFrom("deliveries").where("id", "in", ids).execute();
  return ids.length;
}

/**
 * Part of a step: removes the oldest lines of the state log, by age and beyond `most` (SL-2), and the watching that nothing came
 * of for as long (SL-6). Always from the old end, so that what is left tells exactly whether something is missing (SL-5).
 * `before`: milliseconds since the epoch. Returns how many lines were removed, at most `limit`.
 */
async function pruneStateLog(
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
