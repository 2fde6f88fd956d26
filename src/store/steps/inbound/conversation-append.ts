import type { Selectable } from "kysely";
import type { StoredAttachment } from "../../../core/message/transcript.ts";
import type { ConversationPlace } from "../../reads/inbound/conversations.ts";
import { type ConversationMessage, conversationMessageFromRow } from "../../reads/inbound/conversations.ts";
import { defineStep } from "../../store.ts";
import type { ConversationMessagesTable } from "../../tables/outside.ts";

export interface ConversationAppend extends ConversationPlace {
  readonly key: string;
  readonly author: "person" | "agent";
  readonly html: string;
  readonly text: string;
  readonly attachments: readonly StoredAttachment[];
}

/**
 * Adds a message to a conversation of an embedded platform, once per key (DL-2). Null: the conversation was never opened.
 * `normal` suffices: what acknowledges a person's message is the `accept-event` step after it, which syncs both.
 */
export const appendToConversation = defineStep(
  "conversation-append",
  "normal",
  async (
    { db, now },
    input: ConversationAppend,
  ): Promise<{ readonly message: ConversationMessage; readonly isNew: boolean } | null> => {
    const known = (): Promise<Selectable<ConversationMessagesTable> | undefined> =>
      db
        .selectFrom("conversation_messages")
        .selectAll()
        .where("channel", "=", input.channel)
        .where("account_id", "=", input.accountId)
        .where("key", "=", input.key)
        .executeTakeFirst();
    const before = await known();
    if (before !== undefined) return { message: conversationMessageFromRow(before), isNew: false };
    const opened = await db
      .updateTable("conversations")
      .set({ last_message_at: now })
      .where("channel", "=", input.channel)
      .where("account_id", "=", input.accountId)
      .where("to_id", "=", input.to)
      .where("thread_id", "=", input.threadId ?? "")
      .executeTakeFirst();
    if (opened.numUpdatedRows === 0n) return null;
    const row = await db
      .insertInto("conversation_messages")
      .values({
        key: input.key,
        channel: input.channel,
        account_id: input.accountId,
        to_id: input.to,
        thread_id: input.threadId ?? "",
        author: input.author,
        html: input.html,
        text: input.text,
        attachments_json: JSON.stringify(input.attachments),
        created_at: now,
        edited_at: null,
      })
      .onConflict((conflict) => conflict.columns(["channel", "account_id", "key"]).doNothing())
      .returningAll()
      .executeTakeFirst();
    if (row !== undefined) return { message: conversationMessageFromRow(row), isNew: true };
    // Another writer with the same key was faster (two nodes on PostgreSQL): its message is the one.
    const first = await known();
    return first === undefined ? null : { message: conversationMessageFromRow(first), isNew: false };
  },
);
