import type { ConversationPlace } from "../../reads/inbound/conversations.ts";
import { defineStep } from "../../store.ts";

/**
 * Deletes a conversation of an embedded platform with its messages (CH-4); a channel goes with all its threads. What is still
 * to be sent there finds no conversation and fails. Deleting it twice is the same as once.
 */
export const deleteConversation = defineStep(
  "conversation-delete",
  "normal",
  async ({ db }, input: ConversationPlace): Promise<void> => {
    for (const table of ["conversation_messages", "conversations"] as const) {
      let query = db
        .deleteFrom(table)
        .where("channel", "=", input.channel)
        .where("account_id", "=", input.accountId)
        .where("to_id", "=", input.to);
      if (input.threadId !== null) query = query.where("thread_id", "=", input.threadId);
      await query.execute();
    }
  },
);
