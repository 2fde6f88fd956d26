import type { BotRecord, ChannelRecord, StoredMessage } from "./records.ts";
import { partialMemberShape } from "./shapes.ts";
import type { APIMessage } from "./wire-types.ts";
import type { World } from "./world.ts";

export interface Seer {
  bot: BotRecord;
  /** Whether the privileged message content is there for it. */
  content: boolean;
}

/** Message content: empty without the privileged intent, except own messages, direct messages, and mentions. */
function isReadable(channel: ChannelRecord, message: APIMessage, seer: Seer): boolean {
  if (seer.content || channel.dm !== null || message.author.id === seer.bot.user.id) return true;
  return message.mentions.some((user) => user.id === seer.bot.user.id);
}

function redacted(message: APIMessage): APIMessage {
  const { poll: _, ...rest } = message;
  return { ...rest, content: "", embeds: [], attachments: [], components: [] };
}

function reactionsOf(stored: StoredMessage, seer: Seer): APIMessage["reactions"] {
  return [...stored.reactions].map(([emoji, users]) => {
    const [name = emoji, id] = emoji.split(":");
    return {
      emoji: { id: id ?? null, name },
      count: users.size,
      count_details: { normal: users.size, burst: 0 },
      me: users.has(seer.bot.user.id),
      me_burst: false,
      burst_colors: [],
    };
  });
}

/** A message as a bot gets it in an answer: content by intent, reactions, the message it replies to as it is now. */
export function messageView(world: World, channel: ChannelRecord, stored: StoredMessage, seer: Seer): APIMessage {
  const shown = isReadable(channel, stored.message, seer) ? stored.message : redacted(stored.message);
  const view: APIMessage = { ...shown };
  if (stored.reactions.size > 0) view.reactions = reactionsOf(stored, seer) ?? [];
  const reference = shown.message_reference;
  if (reference?.message_id !== undefined) {
    const source = world.channels.get(reference.channel_id);
    const target = source?.messages.get(reference.message_id);
    if (source === undefined || target === undefined || target.deleted) view.referenced_message = null;
    else {
      const { referenced_message: _, ...quoted } = messageView(world, source, target, seer);
      view.referenced_message = quoted;
    }
  }
  return view;
}

/** The same as an event: with guild, author's membership, and the memberships of who is mentioned. */
export function messageEvent(world: World, channel: ChannelRecord, stored: StoredMessage, seer: Seer): object {
  const view = messageView(world, channel, stored, seer);
  const guild = world.guildOf(channel);
  const base = { ...view, channel_type: channel.type };
  if (guild === null) return base;
  const author = guild.members.get(stored.authorId);
  return {
    ...base,
    guild_id: guild.id,
    ...(author === undefined ? {} : { member: partialMemberShape(author) }),
    mentions: view.mentions.map((user) => {
      const member = guild.members.get(user.id);
      return member === undefined ? user : { ...user, member: partialMemberShape(member) };
    }),
  };
}
