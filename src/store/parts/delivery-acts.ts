import { type Selectable, sql } from "kysely";
import type { DeliveryAct } from "../../core/delivery/delivery.ts";
import { defineStatement } from "../statement.ts";
import type { StepContext } from "../store.ts";
import type { DeliveriesTable } from "../tables/outside.ts";

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
