import type { Chat, ChatMemberUpdated, Message } from "grammy/types";
import type {
  InboundEvent,
  InboundSender,
  ThreadChange,
  ThreadFacts,
} from "../../../src/core/message/inbound-event.ts";
import { CHANNEL, linkOf, peerOf, routeOf, senderOf, threadOf, userSender } from "../address.ts";
import type { Reading, TelegramFact } from "./fact.ts";
import { gesture } from "./gestures.ts";

/**
 * A topic that was closed or opened again (TB-6). Deleting one is told to nobody: the next message to it is refused. null:
 * the message says nothing of that kind.
 */
export function readTopicChange(message: Message, reading: Reading): TelegramFact | null {
  const what =
    message.forum_topic_closed !== undefined
      ? "locked"
      : message.forum_topic_reopened !== undefined
        ? "unarchived"
        : null;
  const thread = threadOf(message, reading.bot);
  if (what === null || thread.kind === "none") return null;
  const event = changeEvent(message.chat, reading, {
    thread,
    what,
    sender: senderOf(message, reading.bot.id),
    messageId: String(message.message_id),
    at: message.date * 1000,
    link: linkOf(message, thread),
  });
  return { kind: "event", event };
}

/** The bot came into a chat or out of it; out of it, all its topics are lost to it (TB-6). */
export function readMembership(change: ChatMemberUpdated, updateId: number, reading: Reading): TelegramFact {
  const { chat, new_chat_member: member } = change;
  const present =
    member.status === "restricted" ? member.is_member : member.status !== "left" && member.status !== "kicked";
  const label = peerOf(chat).label ?? String(chat.id);
  // A private chat without topics has nothing that could be bound.
  const hasThreads = chat.type !== "private" || reading.bot.hasTopics;
  const event =
    present || !hasThreads
      ? null
      : changeEvent(chat, reading, {
          thread: { kind: "none" },
          what: "bot_removed",
          sender: userSender(change.from, reading.bot.id),
          messageId: `membership-${change.date}.${updateId}`,
          at: change.date * 1000,
          link: null,
        });
  return { kind: "membership", chat: String(chat.id), label, present, event };
}

function changeEvent(
  chat: Chat,
  { bot, accountId }: Reading,
  change: {
    readonly thread: ThreadFacts;
    readonly what: ThreadChange["what"];
    readonly sender: InboundSender;
    readonly messageId: string;
    readonly at: number;
    readonly link: string | null;
  },
): InboundEvent {
  const { thread, what, sender, messageId, at, link } = change;
  const kind = "thread_changed";
  return {
    ...gesture(chat, accountId),
    identity: { channel: CHANNEL, botId: bot.id, conversation: String(chat.id), messageId, kind, version: "0" },
    kind,
    route: routeOf(chat, thread, accountId),
    thread,
    sender,
    mentions: { bot: false, replyToBot: false, otherOnly: false },
    text: "",
    target: null,
    threadChange: { what },
    command: null,
    sentAt: at,
    link,
  };
}
