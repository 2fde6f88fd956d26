import type { InboundEvent } from "../../../core/message/inbound-event.ts";
import { defineRead } from "../../store.ts";

export interface HeldEvent {
  readonly identity: string;
  readonly event: InboundEvent;
  readonly heldAt: number;
}

/** The oldest held event of a conversation; null: none waits. */
export const nextHeldEvent = defineRead(
  "next-held-event",
  async (db, conversation: string): Promise<HeldEvent | null> => {
    const row = await db
      .selectFrom("held_events")
      .selectAll()
      .where("conversation", "=", conversation)
      .orderBy("seq")
      .limit(1)
      .executeTakeFirst();
    if (row === undefined) return null;
    return { identity: row.identity, event: JSON.parse(row.event_json) as InboundEvent, heldAt: row.created_at };
  },
);
