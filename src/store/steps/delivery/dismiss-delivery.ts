import type { DeliveryState } from "../../../core/delivery/delivery.ts";
import { DISMISSED } from "../../../core/texts/store/outcomes.ts";
import { noteWord } from "../../parts/outbox.ts";
import { defineStep } from "../../store.ts";
import type { DeliveryCommandResult } from "./retry-delivery.ts";

/**
 * The operator drops a delivery that failed, is unconfirmed or still waits (DL-13): it is not tried again and leaves the
 * list of failures, and what waits behind it goes on. A preview
 * can still take its turn's answer afterwards. One that is being sent or is settled otherwise is refused.
 */
export const dismissDelivery = defineStep(
  "dismiss-delivery",
  "normal",
  async (context, id: number): Promise<DeliveryCommandResult> => {
    const { db, now, enqueue } = context;
    const row = await db
      .updateTable("deliveries")
      .set({ state: "withdrawn", reason: DISMISSED, settled_at: now })
      .where("id", "=", id)
      .where("state", "in", ["failed", "unconfirmed", "pending"])
      .returning("conversation")
      .executeTakeFirst();
    if (row !== undefined) {
      await noteWord(context, id, "dismissed");
      enqueue("deliver", row.conversation);
      return { result: "done" };
    }
    const other = await db.selectFrom("deliveries").select("state").where("id", "=", id).executeTakeFirst();
    return other === undefined ? { result: "not_found" } : { result: "refused", state: other.state as DeliveryState };
  },
);
