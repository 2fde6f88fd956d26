import { sql } from "kysely";
import type { NextDelivery } from "../../reads/delivery/deliveries.ts";
import { deliveryFromRow } from "../../rows.ts";
import { defineStatement } from "../../statement.ts";
import { defineStep, type StepContext } from "../../store.ts";

export type Claimed = Pick<NextDelivery, "delivery" | "isPreview">;

const claimPending = defineStatement((db, p: { readonly id: number; readonly now: number }) =>
  db
    .updateTable("deliveries")
    .set({
      state: "sending",
      claimed_revision: sql<number>`revision`,
      attempts: sql<number>`attempts + 1`,
      claimed_at: p.now,
    })
    .where("id", "=", p.id)
    .where("state", "=", "pending")
    .returningAll(),
);

/**
 * The one claim of a delivery (DL-3): null when it is no longer `pending`. The attempt is counted here. What is claimed may
 * differ from what was looked at before: while it waited for its turn, a preview may have become the final message, and
 * that one must not be given up as lightly as a preview.
 */
async function claim({ db, now }: StepContext, id: number): Promise<Claimed | null> {
  const row = await claimPending.first(db, { id, now });
  return row === undefined ? null : { delivery: deliveryFromRow(row), isPreview: row.preview === 1 };
}

/**
 * On disk before the request leaves: after a power cut the row says that it may have arrived, so nothing is doubled
 * without being asked for (`delivery.onUnconfirmed`).
 */
export const claimDelivery = defineStep("claim-delivery", "full", claim);

/** For platforms where a repeated send shows one message: losing this claim costs nothing, so the disk is not waited for. */
export const claimRepeatableDelivery = defineStep("claim-repeatable-delivery", "normal", claim);
