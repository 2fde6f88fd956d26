import { pruneStateLog } from "../../parts/prune-state-log.ts";
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
  const log = await pruneStateLog(context, {
    before: input.settledBefore,
    most: input.stateEvents,
    limit: input.limit,
  });
  return Math.max(
    log,
    deliveries,
    ...[events, inputs, failures, exchanges].map((result) => Number(result.numDeletedRows)),
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
