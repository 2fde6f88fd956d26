import { sql } from "kysely";
import type { DeliveryContent } from "../../core/delivery/delivery.ts";
import { turnDeliveryKey } from "../../core/delivery/delivery.ts";
import type { TurnId } from "../../core/ids.ts";
import type { StepContext } from "../store.ts";

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
