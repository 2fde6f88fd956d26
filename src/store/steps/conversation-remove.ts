import { defineStep } from "../store.ts";

/** Takes a message of an embedded platform back; taking it back twice changes nothing. */
export const removeFromConversation = defineStep(
  "conversation-remove",
  "normal",
  async ({ db }, input: { readonly channel: string; readonly accountId: string; readonly id: number }) => {
    await db
      .deleteFrom("conversation_messages")
      .where("channel", "=", input.channel)
      .where("account_id", "=", input.accountId)
      .where("id", "=", input.id)
      .execute();
  },
);
