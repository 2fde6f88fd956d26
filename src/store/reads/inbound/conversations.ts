import { defineRead } from "../../store.ts";

/** One account's conversations on an embedded platform, the most recently used first. */
export const conversationList = defineRead(
  "conversation-list",
  async (db, input: { readonly channel: string; readonly accountId: string }) => {
    const rows = await db
      .selectFrom("conversations")
      .selectAll()
      .where("channel", "=", input.channel)
      .where("account_id", "=", input.accountId)
      .orderBy("last_message_at", "desc")
      .orderBy("to_id")
      .orderBy("thread_id")
      .execute();
    return rows.map((row) => ({
      to: row.to_id,
      threadId: row.thread_id === "" ? null : row.thread_id,
      title: row.title,
      lastMessageAt: row.last_message_at,
    }));
  },
);
