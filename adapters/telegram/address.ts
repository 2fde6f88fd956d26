import type { Chat, Message, User } from "grammy/types";
import type { Route } from "../../src/core/delivery/delivery.ts";
import type { InboundSender, Peer, ThreadFacts } from "../../src/core/message/inbound-event.ts";

export const CHANNEL = "telegram";

/** A forum's General topic. Updates and sends leave its id out; only chat actions take it (SK-9, DL-12). */
const GENERAL_TOPIC = 1;

/** The bot itself, as getMe describes it; everything an update is read against. */
export interface BotFacts {
  readonly id: string;
  readonly username: string;
  /** Private chats with this bot have topics. */
  readonly hasTopics: boolean;
  readonly readsAllGroupMessages: boolean;
}

export function isPrivateChat(chatId: string): boolean {
  return !chatId.startsWith("-");
}

/** `message_thread_id` of a send: General's is left out, or the platform answers "message thread not found" (FC-137). */
export function sendThread(route: Route): { message_thread_id?: number } {
  if (route.threadId === null) return {};
  const id = Number(route.threadId);
  return id === GENERAL_TOPIC && !isPrivateChat(route.to) ? {} : { message_thread_id: id };
}

/** `message_thread_id` of a chat action: General's is kept, or the typing shows in no topic (DL-12). */
export function actionThread(route: Route, isForum: boolean): { message_thread_id?: number } {
  if (route.threadId !== null) return { message_thread_id: Number(route.threadId) };
  return isForum ? { message_thread_id: GENERAL_TOPIC } : {};
}

/** A quote that never fails a send: without the message it quotes, the answer goes alone (DL-9). */
export function replyParameters(replyTo: number | null): {
  reply_parameters?: { message_id: number; allow_sending_without_reply: true };
} {
  return replyTo === null ? {} : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } };
}

/** A platform message id as the Bot API takes it, or null when the text is none. */
export function messageNumber(id: string): number | null {
  const number = Number(id);
  return Number.isSafeInteger(number) && number > 0 ? number : null;
}

export function peerOf(chat: Chat): Peer {
  const label = chat.type === "private" ? personName(chat) : (chat.title ?? null);
  const kind = chat.type === "private" ? "direct" : chat.type === "channel" ? "channel" : "group";
  return { kind, id: String(chat.id), label };
}

/**
 * SK-9: only `is_topic_message` makes a topic. A reply chain of an ordinary group has a `message_thread_id` too, and taking
 * it for a topic would split one group into many sessions (FC-136). Private chats have threads only if the bot has topics on.
 */
export function threadOf(
  message: Pick<Message, "chat" | "message_thread_id" | "is_topic_message" | "reply_to_message">,
  bot: Pick<BotFacts, "hasTopics">,
): ThreadFacts {
  const id = message.message_thread_id;
  if (message.is_topic_message !== true || id === undefined) return { kind: "none" };
  const label = message.reply_to_message?.forum_topic_created?.name ?? null;
  if (message.chat.type === "private") {
    return bot.hasTopics ? { kind: "thread", id: String(id), label } : { kind: "none" };
  }
  return id === GENERAL_TOPIC ? { kind: "none" } : { kind: "topic", id: String(id), label };
}

export function routeOf(chat: Pick<Chat, "id">, thread: ThreadFacts, accountId: string): Route {
  return { channel: CHANNEL, accountId, to: String(chat.id), threadId: thread.kind === "none" ? null : thread.id };
}

/**
 * Who wrote. A message on behalf of a chat (anonymous admin, linked channel, channel post) comes from that chat: its `from`
 * is then a stand-in account that thousands of people share, and must never be what an allowlist is compared with.
 */
export function senderOf(
  message: Pick<Message, "from" | "sender_chat" | "author_signature" | "chat">,
  botId: string,
): InboundSender {
  const chat = message.sender_chat ?? (message.from === undefined ? message.chat : undefined);
  if (chat !== undefined) return chatSender(chat, message.author_signature);
  const { from } = message;
  return from === undefined ? chatSender(message.chat, undefined) : userSender(from, botId);
}

export function userSender(user: User, botId: string): InboundSender {
  const id = String(user.id);
  return {
    id,
    name: personName(user),
    username: user.username ?? null,
    isBot: user.is_bot,
    isSelf: id === botId,
    roleIds: [],
  };
}

export function chatSender(chat: Chat, signature: string | undefined): InboundSender {
  const title = chat.title ?? chat.username ?? String(chat.id);
  return {
    id: String(chat.id),
    name: signature === undefined ? title : `${title} (${signature})`,
    username: chat.username ?? null,
    isBot: false,
    isSelf: false,
    roleIds: [],
  };
}

export function personName(person: {
  readonly first_name?: string;
  readonly last_name?: string;
  readonly username?: string;
}): string {
  const full = [person.first_name, person.last_name].filter((part) => part !== undefined && part !== "").join(" ");
  return full !== "" ? full : (person.username ?? "");
}

/** A link people can open, or, where Telegram has none (private chats, basic groups), a printable id (`/why`). */
export function linkOf(message: { readonly chat: Chat; readonly message_id: number }, thread: ThreadFacts): string {
  const { chat, message_id: id } = message;
  const inTopic = thread.kind === "none" ? `${id}` : `${thread.id}/${id}`;
  if (chat.username !== undefined && chat.type !== "private") return `https://t.me/${chat.username}/${inTopic}`;
  const internal = /^-100(\d+)$/.exec(String(chat.id))?.[1];
  return internal === undefined ? `${CHANNEL}:${chat.id}/${id}` : `https://t.me/c/${internal}/${inTopic}`;
}
