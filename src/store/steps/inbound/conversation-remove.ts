import { defineStep } from "../../store.ts";

/**
 * Takes a message of an embedded platform back; taking it back twice changes nothing. The conversation's newest time goes back
 * with it, or a message that no longer exists would count as unread.
 */
export const removeFromConversation = defineStep(
  "conversation-remove",
  "normal",
  async ({ db }, input: { readonly channel: string; readonly accountId: string; readonly id: number }) => {
    const removed = await db
      .deleteFrom("conversation_messages")
      .where("channel", "=", input.channel)
      .where("account_id", "=", input.accountId)
      .where("id", "=", input.id)
      .returning(["to_id", "thread_id"])
      .executeTakeFirst();
    if (removed === undefined) return;
    const newest = await db
      .selectFrom("conversation_messages")
      .select("created_at")
      .where("channel", "=", input.channel)
      .where("account_id", "=", input.accountId)
      .where("to_id", "=", removed.to_id)
      .where("thread_id", "=", removed.thread_id)
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst();
    if (newest === undefined) return;
    await db
      .updateTable("conversations")
      .set({ last_message_at: newest.created_at })
      .where("channel", "=", input.channel)
      .where("account_id", "=", input.accountId)
      .where("to_id", "=", removed.to_id)
      .where("thread_id", "=", removed.thread_id)
      .execute();
  },
);
