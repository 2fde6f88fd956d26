import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import { conversationKey, type Route } from "../../../core/delivery/delivery.ts";
import type { TurnId } from "../../../core/ids.ts";
import type { InboundEvent } from "../../../core/message/inbound-event.ts";
import type { InboxItem } from "../../../core/message/inbox-item.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { inboxItemFromRow } from "../../rows.ts";
import type { Schema } from "../../schema.ts";
import { defineStatement } from "../../statement.ts";
import { defineRead } from "../../store.ts";

/** One input by its key: what the task `release` works on. */
export const inboxItem = defineRead("inbox-item", async (db, key: string): Promise<InboxItem | null> => {
  const row = await db.selectFrom("inbox").selectAll().where("key", "=", key).executeTakeFirst();
  return row === undefined ? null : inboxItemFromRow(row);
});

const ofTurn = defineStatement((db, p: { readonly turnId: TurnId }) =>
  db.selectFrom("inbox").selectAll().where("turn_id", "=", p.turnId).orderBy("seq"),
);

/** The inputs an open turn works on, those that were steered in included; oldest first. */
export const turnInputs = defineRead("turn-inputs", async (db, turnId: TurnId): Promise<readonly InboxItem[]> => {
  return (await ofTurn.all(db, { turnId })).map(inboxItemFromRow);
});

/** A session's commands that have not run yet, oldest first (CM-4). */
export const waitingCommands = defineRead(
  "waiting-commands",
  async (db, key: SessionKey): Promise<readonly InboxItem[]> => {
    const rows = await db
      .selectFrom("inbox")
      .selectAll()
      .where("session_key", "=", key)
      .where("settled_at", "is", null)
      .where("kind", "=", "command")
      .where("state", "=", "waiting")
      .orderBy("seq")
      .execute();
    return rows.map(inboxItemFromRow);
  },
);

/** The key a moved conversation's old session key stands for now (SK-9); the key itself when nothing moved. */
export const resolveAlias = defineRead("resolve-alias", async (db, key: SessionKey): Promise<SessionKey> => {
  const row = await db.selectFrom("session_aliases").select("new_key").where("old_key", "=", key).executeTakeFirst();
  return (row?.new_key as SessionKey | undefined) ?? key;
});

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

/** The inputs that make a turn of their session due; a notice only when it wakes (SL-7): it is the last field of its payload. */
export function startsTurns(eb: ExpressionBuilder<Schema, "inbox">): Expression<SqlBool> {
  return eb.or([
    eb("kind", "not in", ["command", "notice"]),
    eb.and([eb("kind", "=", "notice"), eb("payload_json", "like", '%"wakes":true}')]),
  ]);
}

/** Whether people wrote to the account in this very conversation, as far back as events are kept (IN-2). */
export const isKnownConversation = defineRead("is-known-conversation", async (db, route: Route): Promise<boolean> => {
  const row = await db
    .selectFrom("inbound_events")
    .select("identity")
    .where("conversation", "=", conversationKey(route))
    .where("result", "in", ["accepted", "command", "merged", "kept"])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
});
