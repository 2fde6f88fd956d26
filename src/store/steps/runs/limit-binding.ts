import { conversationKey, type Route } from "../../../core/delivery/delivery.ts";
import type { BindingLimits } from "../../../core/session/run.ts";
import { armExpiry } from "../../parts/bind.ts";
import { bindingFromRow } from "../../rows.ts";
import { defineStep } from "../../store.ts";

/** `/session idle` and `max-age` (TB-5). Returns the limits that hold now; null: nothing is bound there. */
export const limitBinding = defineStep(
  "limit-binding",
  "full",
  async (
    context,
    input: { readonly route: Route; readonly idleMs?: number; readonly maxAgeMs?: number },
  ): Promise<BindingLimits | null> => {
    const { idleMs, maxAgeMs } = input;
    const row = await context.db
      .updateTable("bindings")
      .set({
        last_activity: context.now,
        ...(idleMs === undefined ? {} : { idle_ms: idleMs }),
        ...(maxAgeMs === undefined ? {} : { max_age_ms: maxAgeMs }),
      })
      .where("conversation", "=", conversationKey(input.route))
      .where("ended_at", "is", null)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return null;
    const binding = bindingFromRow(row);
    await armExpiry(context, binding);
    return binding;
  },
);
