import type { DeliveryState } from "../../../core/delivery/delivery.ts";
import { noteWord } from "../../parts/outbox.ts";
import { defineStep } from "../../store.ts";

/** `refused`: in this state there is nothing to do; `state` says which. */
export type DeliveryCommandResult =
  | { readonly result: "done" }
  | { readonly result: "not_found" }
  | { readonly result: "refused"; readonly state: DeliveryState };

/**
 * The operator sends a failed or unconfirmed delivery again, or hurries one that waits for its next try (DL-13). Its
 * attempts start at zero. Everything else is refused: a sent message is never sent again by hand.
 */
export const retryDelivery = defineStep(
  "retry-delivery",
  "normal",
  async (context, id: number): Promise<DeliveryCommandResult> => {
    const { db, now, enqueue } = context;
    const row = await db
      .updateTable("deliveries")
      .set({ state: "pending", attempts: 0, next_at: now, reason: null, settled_at: null })
      .where("id", "=", id)
      .where("state", "in", ["failed", "unconfirmed", "pending"])
      .returning("conversation")
      .executeTakeFirst();
    if (row !== undefined) {
      await noteWord(context, id, "retried");
      enqueue("deliver", row.conversation);
      return { result: "done" };
    }
    const other = await db.selectFrom("deliveries").select("state").where("id", "=", id).executeTakeFirst();
    return other === undefined ? { result: "not_found" } : { result: "refused", state: other.state as DeliveryState };
  },
);
