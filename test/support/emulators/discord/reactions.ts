import { botsSeeing } from "./audience.ts";
import { tell } from "./gateway/events.ts";
import type { ChannelRecord, StoredMessage } from "./records.ts";
import { memberShape } from "./shapes.ts";
import { type APIUser, INTENT } from "./wire-types.ts";
import type { World } from "./world.ts";

export interface Reaction {
  user: APIUser;
  /** `👍`, or `name:id` for an emoji of a guild. */
  emoji: string;
}

/** Whether a text is one emoji of the standard, or an own emoji of a guild. */
export function isEmoji(text: string): boolean {
  return /^\w+:\d+$/.test(text) || /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic}\uFE0F?)$/v.test(text);
}

/** Adds or takes back a reaction; bots that asked for reactions hear of it. */
export function react(
  world: World,
  channel: ChannelRecord,
  stored: StoredMessage,
  { user, emoji }: Reaction,
  taken: "added" | "removed" = "added",
): void {
  const users = stored.reactions.get(emoji) ?? new Set<string>();
  if (taken === "added" ? users.has(user.id) : !users.has(user.id)) return;
  if (taken === "added") users.add(user.id);
  else users.delete(user.id);
  if (users.size === 0) stored.reactions.delete(emoji);
  else stored.reactions.set(emoji, users);
  const guild = world.guildOf(channel);
  const member = guild?.members.get(user.id);
  const [name = emoji, id] = emoji.split(":");
  tell(botsSeeing(world, channel), {
    t: taken === "added" ? "MESSAGE_REACTION_ADD" : "MESSAGE_REACTION_REMOVE",
    intents: guild === null ? INTENT.directReactions : INTENT.guildReactions,
    guildId: channel.guildId,
    data: () => ({
      user_id: user.id,
      channel_id: channel.id,
      message_id: stored.message.id,
      ...(guild === null ? {} : { guild_id: guild.id }),
      ...(taken === "added" && member !== undefined ? { member: memberShape(member) } : {}),
      ...(taken === "added" ? { message_author_id: stored.authorId } : {}),
      emoji: { id: id ?? null, name },
      burst: false,
      type: 0,
    }),
  });
  world.signals.changed();
}
