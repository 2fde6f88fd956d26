import type { ConversationPlace } from "../../reads/inbound/conversations.ts";
import { defineStep } from "../../store.ts";

/** Opens a conversation of an embedded platform (CH-4); opened again, it keeps its first title. */
export const openConversation = defineStep(
  "conversation-open",
  "normal",
  async ({ db, now }, input: ConversationPlace & { readonly title: string }): Promise<void> => {
    await db
      .insertInto("conversations")
      .values({
        channel: input.channel,
        account_id: input.accountId,
        to_id: input.to,
        thread_id: input.threadId ?? "",
        title: input.title,
        last_message_at: now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  },
);
