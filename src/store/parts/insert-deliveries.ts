import { type Selectable, sql } from "kysely";
import type { NewDelivery } from "../../core/delivery/delivery.ts";
import { conversationKey } from "../../core/delivery/route.ts";
import type { RunId, TurnId } from "../../core/ids.ts";
import type { SessionKey } from "../../core/session/session-key.ts";
import { defineStatement } from "../statement.ts";
import type { StepContext } from "../store.ts";
import type { DeliveriesTable } from "../tables/outside.ts";

/** Deliveries decided by one step, in the order in which people shall see them. */
export interface DeliveryBatch {
  readonly deliveries: readonly NewDelivery[];
  readonly sessionKey: SessionKey | null;
  readonly turnId: TurnId | null;
  readonly runId: RunId | null;
}

const insertRow = defineStatement((db, p: Omit<Selectable<DeliveriesTable>, "id">) =>
  db
    .insertInto("deliveries")
    .values(p)
    .onConflict((conflict) =>
      conflict
        .column("key")
        .doUpdateSet({
          content_json: sql<string>`excluded.content_json`,
          revision: sql<number>`deliveries.revision + 1`,
          preview: 0,
          // A send that is under way keeps its claim; its settlement sees the newer revision and goes on (DL-3).
          state: sql<string>`case when deliveries.state = 'sending' then 'sending' else 'pending' end`,
          // A send that may have arrived unseen was a try: the next one has to look for it (DL-3).
          attempts: sql<number>`case when deliveries.message_ids_json = '[]' then deliveries.attempts else 0 end`,
          next_at: p.next_at,
          reason: null,
          settled_at: null,
        })
        .where("deliveries.preview", "=", 1),
    )
    .returning("conversation"),
);

/**
 * Part of a step: puts messages into the outbox in the transaction that decided them and makes their conversations due
 * (DL-2). A key that is already there changes nothing, so a replayed step sends nothing twice; only a streaming preview
 * takes the content as its final one (TN-11): its message is edited, or sent when the preview never got through.
 */
export async function insertDeliveries(context: StepContext, batch: DeliveryBatch): Promise<void> {
  if (batch.deliveries.length === 0) return;
  const { db, now, enqueue } = context;
  const conversations = batch.deliveries.map((delivery) => conversationKey(delivery.route));
  const written: string[] = [];
  for (const { key, route, content } of batch.deliveries) {
    const row = await insertRow.first(db, {
      ...blankRow(now),
      key,
      conversation: conversationKey(route),
      channel: route.channel,
      account_id: route.accountId,
      route_json: JSON.stringify(route),
      content_json: JSON.stringify(content),
      session_key: batch.sessionKey,
      turn_id: batch.turnId,
      run_id: batch.runId,
    });
    if (row !== undefined) written.push(row.conversation);
  }
  // A preview keeps its own place: the route of its turn may have moved since it was written (SK-9).
  const due = new Set([...conversations, ...written]);
  for (const conversation of due) enqueue("deliver", conversation);
}

/** A row nobody has tried to send yet. */
export function blankRow(now: number) {
  return {
    state: "pending",
    revision: 1,
    claimed_revision: 0,
    preview: 0,
    message_ids_json: "[]",
    attempts: 0,
    next_at: now,
    reason: null,
    created_at: now,
    claimed_at: null,
    settled_at: null,
  };
}
