import { react, unreact } from "../reactions.ts";
import { refused } from "../refusal.ts";
import type { Handlers } from "./handler.ts";
import { joinedConversation, messageAt } from "./place.ts";

export const reactionMethods: Handlers<"reactions.add" | "reactions.remove"> = {
  "reactions.add": (context, args) => {
    const conversation = joinedConversation(context, args.channel);
    if (conversation.archived) throw refused("is_archived");
    const stored = messageAt(conversation, args.timestamp);
    react(context.world, conversation, stored, { user: context.app.user.id, name: args.name });
    return {};
  },

  "reactions.remove": (context, args) => {
    if (args.channel === undefined || args.timestamp === undefined) throw refused("no_item_specified");
    const conversation = joinedConversation(context, args.channel);
    const stored = messageAt(conversation, args.timestamp);
    unreact(context.world, conversation, stored, { user: context.app.user.id, name: args.name });
    return {};
  },
};
