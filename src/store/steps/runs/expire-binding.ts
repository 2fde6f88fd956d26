import { bindingExpiry } from "../../../core/session/run.ts";
import { armExpiry } from "../../parts/bind.ts";
import { endBinding } from "../../parts/end-binding.ts";
import { bindingFromRow } from "../../rows.ts";
import { defineStep } from "../../store.ts";

/** How long a thread that is still being made is left alone. */
const LOOK_AGAIN_MS = 60_000;

/** TB-4, TB-6: ends an expired binding; one that was used since is checked again at its new expiry. */
export const expireBinding = defineStep(
  "expire-binding",
  "normal",
  async (context, id: string): Promise<"ended" | "later" | "gone"> => {
    const { db, now, enqueue } = context;
    const row = await db
      .selectFrom("bindings")
      .selectAll()
      .where("id", "=", id)
      .where("ended_at", "is", null)
      .executeTakeFirst();
    if (row === undefined) {
      await db.deleteFrom("timers").where("task", "=", "binding-expiry").where("key", "=", id).execute();
      return "gone";
    }
    const binding = bindingFromRow(row);
    const expiry = bindingExpiry(binding);
    if (binding.state === "pending") {
      enqueue("binding-expiry", id, now + LOOK_AGAIN_MS);
      return "later";
    }
    if (expiry === null || expiry.at > now) {
      await armExpiry(context, binding);
      return "later";
    }
    await endBinding(context, binding, {
      why: expiry.why,
      actorType: "system",
      actor: "switchyard",
      farewell: true,
    });
    return "ended";
  },
);
