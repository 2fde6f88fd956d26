import { type Selectable, sql } from "kysely";
import {
  conversationKey,
  type DeliveryAct,
  type DeliveryContent,
  type NewDelivery,
  turnDeliveryKey,
} from "../../core/delivery/delivery.ts";
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

/**
 * Part of a step: a turn that ends silently or is aborted takes back its preview (TN-11). Shown or perhaps shown: the
 * message is deleted on the platform; never accepted: the row is withdrawn. Final content already set stays.
 */
export async function deletePreview({ db, now, enqueue }: StepContext, turnId: TurnId): Promise<void> {
  const removal: DeliveryContent = { kind: "delete" };
  const row = await db
    .updateTable("deliveries")
    .set({
      content_json: JSON.stringify(removal),
      revision: sql<number>`revision + 1`,
      preview: 0,
      state: sql<string>`case when state = 'sending' then 'sending' when message_ids_json <> '[]' then 'pending' else 'withdrawn' end`,
      attempts: 0,
      next_at: now,
      reason: null,
      settled_at: sql<
        number | null
      >`case when state <> 'sending' and message_ids_json = '[]' then cast(${now} as bigint) else null end`,
    })
    .where("key", "=", turnDeliveryKey(turnId, 0))
    .where("preview", "=", 1)
    .returning(["conversation", "state"])
    .executeTakeFirst();
  if (row?.state === "pending") enqueue("deliver", row.conversation);
}

/**
 * Part of a step: withdraws what a stopped turn decided and no platform has seen (TN-8). A message that is being sent or
 * edited at this moment goes through. Returns how many were withdrawn.
 */
export async function withdrawUnsent(
  { db, now }: StepContext,
  input: { readonly turnId: TurnId; readonly reason: string },
): Promise<number> {
  const rows = await db
    .updateTable("deliveries")
    .set({ state: "withdrawn", reason: input.reason, settled_at: now })
    .where("turn_id", "=", input.turnId)
    .where("state", "=", "pending")
    .where("message_ids_json", "=", "[]")
    .where("preview", "=", 0)
    .returning("id")
    .execute();
  return rows.length;
}

/** So many are kept one by one; after that the newest entry stands for those that follow. */
const KEPT = 50;

const kept = defineStatement((db, p: { readonly deliveryId: number }) =>
  db
    .selectFrom("delivery_acts")
    .select([sql<number>`count(*)`.as("count"), sql<number | null>`max(id)`.as("newest")])
    .where("delivery_id", "=", p.deliveryId),
);

/**
 * Part of a step: one entry of a delivery's history (DL-16), in the transaction of what it tells of. A day of tries against a
 * platform that is down keeps a bounded number of rows.
 */
export async function noteAct(
  { db, now }: StepContext,
  deliveryId: number,
  act: Omit<DeliveryAct, "at" | "folded">,
): Promise<void> {
  const row = {
    act: act.act,
    started_at: act.startedAt,
    at: now,
    reason: act.reason,
    message_ids_json: JSON.stringify(act.messageIds),
    read_back: act.readBack,
    what: act.what,
  };
  const before = await kept.first(db, { deliveryId });
  if (before !== undefined && before.newest !== null && Number(before.count) >= KEPT) {
    await db
      .updateTable("delivery_acts")
      .set({ ...row, folded: sql<number>`folded + 1` })
      .where("id", "=", before.newest)
      .execute();
    return;
  }
  await db
    .insertInto("delivery_acts")
    .values({ ...row, delivery_id: deliveryId, folded: 0 })
    .execute();
}

/** A message that went out whole at its first try: its row says when, and with which ids, so the ordinary path writes no entry. */
export function tellsItself(row: Selectable<DeliveriesTable>): boolean {
  return row.attempts === 1 && row.revision === 1 && row.preview === 0;
}

/** Part of a step: what the operator did with it (DL-13). */
export async function noteWord(context: StepContext, deliveryId: number, act: "retried" | "dismissed"): Promise<void> {
  await noteAct(context, deliveryId, {
    act,
    startedAt: null,
    reason: null,
    messageIds: [],
    readBack: null,
    what: "content",
  });
}
