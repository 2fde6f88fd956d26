import { type ConversationMessage, conversationMessageFromRow } from "../../reads/inbound/conversations.ts";
import { defineStep } from "../../store.ts";

export interface ConversationEdit {
  readonly channel: string;
  readonly accountId: string;
  readonly id: number;
  readonly html: string;
  readonly text: string;
}

/** Replaces the content of a message of an embedded platform. Null: there is no such message any more. */
export const editInConversation = defineStep(
  "conversation-edit",
  "normal",
  async ({ db, now }, input: ConversationEdit): Promise<ConversationMessage | null> => {
    const row = await db
      .updateTable("conversation_messages")
      .set({ html: input.html, text: input.text, edited_at: now })
      .where("channel", "=", input.channel)
      .where("account_id", "=", input.accountId)
      .where("id", "=", input.id)
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : conversationMessageFromRow(row);
  },
);
