import { titleConversation } from "../../parts/conversation-title.ts";
import type { ConversationPlace } from "../../reads/inbound/conversations.ts";
import { defineStep } from "../../store.ts";

/** Gives a conversation of an embedded platform another title (CH-4). False: it was never opened. */
export const renameConversation = defineStep(
  "conversation-rename",
  "normal",
  (context, { title, ...place }: ConversationPlace & { readonly title: string }): Promise<boolean> =>
    titleConversation(context, place, title),
);
