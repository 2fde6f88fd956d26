import { defineStep } from "../store.ts";

export interface PruneInput {
  readonly eventsBefore: number;
  readonly settledBefore: number;
  /** At most this many rows of each kind. */
  readonly limit: number;
}

/** Removes what is only kept for looking back and is old enough; transcripts stay. Returns the largest count of one kind. */
export const pruneStore = defineStep("prune-store", "normal", async ({ db }, input: PruneInput): Promise<number> => {
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
  const deliveries = await db
    .deleteFrom("deliveries")
    .where("id", "in", (eb) =>
      eb
        .selectFrom("deliveries")
        .select("id")
        .where("created_at", "<", input.settledBefore)
        .where("state", "in", ["sent", "withdrawn", "failed"])
        .orderBy("id")
        .limit(input.limit),
    )
    .executeTakeFirst();
  const failures = await db
    .deleteFrom("failures")
    .where("id", "in", (eb) =>
      eb.selectFrom("failures").select("id").where("at", "<", input.settledBefore).limit(input.limit),
    )
    .executeTakeFirst();
  return Math.max(...[events, inputs, deliveries, failures].map((result) => Number(result.numDeletedRows)));
});
