import { conversationKey } from "../../../core/delivery/delivery.ts";
import type { InboundEvent } from "../../../core/message/inbound-event.ts";
import { defineStep } from "../../store.ts";

/** By this time a new place is known, or it was never created. */
const LONGEST_MS = 5 * 60_000;

/**
 * TB-1: a message in a thread that may be the one being made for a sub-agent just now: kept whole and undecided, once per
 * identity, so that no other session answers it. It is decided when the thread is settled, at the latest after five minutes.
 */
export const holdEvent = defineStep(
  "hold-event",
  "full",
  async ({ db, now, enqueue }, input: { readonly identity: string; readonly event: InboundEvent }): Promise<void> => {
    const { route } = input.event;
    const conversation = conversationKey(route);
    await db
      .insertInto("held_events")
      .values({
        identity: input.identity,
        channel: route.channel,
        account_id: route.accountId,
        to_id: route.to,
        conversation,
        event_json: JSON.stringify(input.event),
        created_at: now,
      })
      .onConflict((conflict) => conflict.column("identity").doNothing())
      .execute();
    enqueue("admit-held", conversation, now + LONGEST_MS);
  },
);

/** The event was decided as any other. */
export const dropHeld = defineStep(
  "drop-held",
  "normal",
  async ({ db }, input: { readonly identity: string; readonly conversation: string }): Promise<void> => {
    await db.deleteFrom("held_events").where("identity", "=", input.identity).execute();
    await db.deleteFrom("timers").where("task", "=", "admit-held").where("key", "=", input.conversation).execute();
  },
);
