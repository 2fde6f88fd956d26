import type { TelegramReplyParameters } from "@gramio/types/objects";
import type { ChatRecord, StoredMessage } from "../records.ts";
import { badRequest } from "../refusal.ts";
import type { Wire } from "../wire-types.ts";
import type { CallContext } from "./handler.ts";

export interface Addressed {
  chat_id: number | string;
  message_thread_id?: number;
  reply_parameters?: Wire<TelegramReplyParameters>;
}

export interface Destination {
  chat: ChatRecord;
  topicId: number | null;
  replyTo: StoredMessage | null;
}

const GENERAL_TOPIC = 1;

/** Whether a chat has topics: forum supergroups, and private chats of a bot with topics enabled. */
export function hasTopics(context: Pick<CallContext, "bot">, chat: ChatRecord): boolean {
  return chat.kind === "private" ? context.bot.facts.hasTopicsEnabled : chat.chat.is_forum === true;
}

function isReplyChain(chat: ChatRecord, threadId: number): boolean {
  return chat.kind === "supergroup" && chat.messages.get(threadId)?.deleted === false;
}

/** The topic a `message_thread_id` names, for sending. General is named by leaving it out. */
function topicOf(context: CallContext, chat: ChatRecord, threadId: number | undefined): number | null {
  if (threadId === undefined || threadId === 0) return null;
  if (!hasTopics(context, chat)) {
    // In a group without topics the platform ignores the id of an existing chain.
    if (isReplyChain(chat, threadId)) return null;
    throw badRequest("message thread not found");
  }
  const topic = chat.topics.get(threadId);
  // No topic ever has General's id 1, so naming it is refused here like any unknown one.
  if (topic === undefined || topic.state === "deleted") throw badRequest("message thread not found");
  if (topic.state === "closed") throw badRequest("TOPIC_CLOSED");
  return threadId;
}

function repliedMessage(chat: ChatRecord, reply: Wire<TelegramReplyParameters> | undefined): StoredMessage | null {
  if (reply?.message_id === undefined) return null;
  const stored = chat.messages.get(reply.message_id);
  if (stored === undefined || stored.deleted) {
    if (reply.allow_sending_without_reply === true) return null;
    throw badRequest("message to be replied not found");
  }
  if (reply.quote !== undefined) {
    const whole = stored.message.text ?? stored.message.caption ?? "";
    if (!whole.includes(String(reply.quote))) throw badRequest("QUOTE_TEXT_INVALID");
  }
  return stored;
}

/** Where a send goes. Refuses unknown chats, threads and replied messages, and closed topics. */
export function destination(context: CallContext, params: Addressed): Destination {
  const chat = context.world.chatFor(context.bot, params.chat_id);
  if (chat.kind === "channel" && chat.members.get(context.bot.user.id)?.status !== "administrator") {
    throw badRequest("need administrator rights in the channel chat");
  }
  const named = topicOf(context, chat, params.message_thread_id);
  const replyTo = repliedMessage(chat, params.reply_parameters);
  return { chat, topicId: named ?? replyTo?.topicId ?? null, replyTo };
}

/** The thread of a chat action: like a send, but General's id 1 is accepted. */
export function actionThread(context: CallContext, params: Addressed): { chat: ChatRecord; threadId: number | null } {
  const chat = context.world.chatFor(context.bot, params.chat_id);
  const threadId = params.message_thread_id;
  if (threadId === GENERAL_TOPIC && hasTopics(context, chat)) return { chat, threadId: null };
  return { chat, threadId: topicOf(context, chat, threadId) };
}
