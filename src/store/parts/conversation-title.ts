import type { ConversationPlace } from "../reads/inbound/conversations.ts";
import type { StepContext } from "../store.ts";

/** Part of a step: the title a conversation of an embedded platform is listed by. False: there is no such conversation. */
export async function titleConversation(
  { db }: StepContext,
  place: ConversationPlace,
  title: string,
): Promise<boolean> {
  const updated = await db
    .updateTable("conversations")
    .set({ title })
    .where("channel", "=", place.channel)
    .where("account_id", "=", place.accountId)
    .where("to_id", "=", place.to)
    .where("thread_id", "=", place.threadId ?? "")
    .executeTakeFirst();
  return updated.numUpdatedRows > 0n;
}
