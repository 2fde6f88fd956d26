import { isEmoji, react } from "../reactions.ts";
import { badRequest } from "../refusal.ts";
import { channelFor, messageFor, needs, needsActive } from "./destination.ts";
import type { BotContext, BotHandlers } from "./handler.ts";

/** Message: at most 20 different reactions. */
const MAX_REACTIONS = 20;

function emojiIn(context: BotContext): string {
  const emoji = context.path.emoji_name ?? "";
  if (!isEmoji(emoji)) throw badRequest(10014, "Unknown Emoji");
  return emoji;
}

export const reactionRoutes: BotHandlers<
  "add_my_message_reaction" | "delete_my_message_reaction" | "list_message_reactions_by_emoji"
> = {
  add_my_message_reaction: (context) => {
    const channel = channelFor(context);
    const stored = messageFor(context, channel);
    const emoji = emojiIn(context);
    needsActive(channel);
    needs(context, channel, "ReadMessageHistory");
    if (!stored.reactions.has(emoji)) {
      needs(context, channel, "AddReactions");
      if (stored.reactions.size >= MAX_REACTIONS) throw badRequest(30010, "Maximum number of reactions reached (20)");
    }
    react(context.world, channel, stored, { user: context.bot.user, emoji });
    return undefined;
  },

  delete_my_message_reaction: (context) => {
    const channel = channelFor(context);
    const stored = messageFor(context, channel);
    needsActive(channel);
    react(context.world, channel, stored, { user: context.bot.user, emoji: emojiIn(context) }, "removed");
    return undefined;
  },

  list_message_reactions_by_emoji: (context) => {
    const stored = messageFor(context, channelFor(context));
    return [...(stored.reactions.get(emojiIn(context)) ?? [])].flatMap((id) => context.world.users.get(id) ?? []);
  },
};
