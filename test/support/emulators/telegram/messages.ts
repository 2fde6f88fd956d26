import type { TelegramMessage, TelegramUser } from "@gramio/types/objects";
import type { BotRecord, ChatRecord, StoredMessage } from "./records.ts";
import { isVisibleTo } from "./visibility.ts";
import type { World } from "./world.ts";

type Content = Omit<TelegramMessage, "message_id" | "date" | "chat" | "from" | "sender_chat">;

export interface Post {
  /** The writing user or bot; null: the channel itself. */
  author: TelegramUser | null;
  content: Content;
  /** Forum topic (or private chat topic); null: General, or a chat without topics. */
  topicId: number | null;
  replyTo?: StoredMessage | null;
  /** This service message opens a topic: its own id becomes the topic's. */
  opensTopic?: boolean;
}

function isMembersBot(chat: ChatRecord, bot: BotRecord): boolean {
  return chat.botId === null ? chat.members.has(bot.user.id) : chat.botId === bot.user.id;
}

/** The bots that belong to a chat. */
export function botsIn(world: World, chat: ChatRecord): BotRecord[] {
  return [...world.bots.values()].filter((bot) => isMembersBot(chat, bot));
}

/** A message without its text or caption, for an edit. */
export function withoutWriting(message: TelegramMessage): TelegramMessage {
  const { text: _, entities: __, caption: ___, caption_entities: ____, ...rest } = message;
  return rest;
}

/** A message as it appears inside another one: without its own reply. */
function asQuoted(message: TelegramMessage): TelegramMessage {
  const { reply_to_message: _, ...rest } = message;
  return rest;
}

/**
 * Thread fields of a message. Forum topics: the topic's id and `is_topic_message`; General: none. Supergroups
 * without topics: a reply carries the id of its chain's first message and is not a topic message. Messages of a
 * supergroup's thread that answer nothing else carry the thread's first message as `reply_to_message`.
 */
function threadFields(chat: ChatRecord, post: Post): Partial<TelegramMessage> {
  const reply = post.replyTo ?? null;
  const fields: Partial<TelegramMessage> = {};
  if (post.topicId !== null) {
    fields.message_thread_id = post.topicId;
    fields.is_topic_message = true;
  } else if (chat.kind === "supergroup" && chat.chat.is_forum !== true && reply !== null) {
    fields.message_thread_id = reply.message.message_thread_id ?? reply.message.message_id;
  }
  const root = chat.kind === "supergroup" && post.topicId !== null ? chat.messages.get(post.topicId) : undefined;
  const quoted = reply ?? root ?? null;
  if (quoted !== null && !quoted.deleted) fields.reply_to_message = asQuoted(quoted.message);
  return fields;
}

/** Puts a message into a chat and tells the bots that may see it. Returns what was stored. */
export function post(world: World, chat: ChatRecord, given: Post): StoredMessage {
  const messageId = chat.nextMessageId;
  chat.nextMessageId += 1;
  const input: Post = given.opensTopic === true ? { ...given, topicId: messageId } : given;
  const message: TelegramMessage = {
    message_id: messageId,
    ...(input.author === null ? { sender_chat: chat.chat } : { from: input.author }),
    chat: chat.chat,
    date: world.seconds(),
    ...threadFields(chat, input),
    ...input.content,
  };
  const stored: StoredMessage = {
    seq: world.nextSeq(),
    at: world.clock(),
    message,
    topicId: input.topicId,
    authorId: input.author?.id ?? chat.chat.id,
    deleted: false,
    earlier: [],
    reactions: new Map(),
  };
  if (input.author?.is_bot === true) chat.lastBotSpeaker = input.author.id;
  for (const bot of botsIn(world, chat)) {
    if (!isVisibleTo(bot, chat, message)) continue;
    bot.updates.push(chat.kind === "channel" ? { channel_post: message } : { message });
  }
  chat.messages.set(messageId, stored);
  world.signals.changed();
  return stored;
}

/** Replaces a message by its new form; bots other than its author hear of it. */
export function edit(world: World, chat: ChatRecord, stored: StoredMessage, after: TelegramMessage): void {
  stored.earlier.push(stored.message);
  stored.message = { ...after, edit_date: world.seconds() };
  for (const bot of botsIn(world, chat)) {
    if (bot.user.id === stored.authorId || !isVisibleTo(bot, chat, stored.message)) continue;
    bot.updates.push(
      chat.kind === "channel" ? { edited_channel_post: stored.message } : { edited_message: stored.message },
    );
  }
  world.signals.changed();
}

/** Removes a message from sight. The Bot API has no update for this. */
export function remove(world: World, stored: StoredMessage): void {
  stored.deleted = true;
  world.signals.changed();
}

/** What people see now, oldest first; `topicId` undefined: the whole chat, null: outside of topics. */
export function visibleMessages(chat: ChatRecord, topicId?: number | null): StoredMessage[] {
  return [...chat.messages.values()].filter(
    (stored) => !stored.deleted && (topicId === undefined || stored.topicId === topicId),
  );
}
