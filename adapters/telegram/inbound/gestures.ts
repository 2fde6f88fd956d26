import type { CallbackQuery, Chat, ChatMemberUpdated, MessageReactionUpdated, ReactionType } from "grammy/types";
import {
  type InboundEvent,
  type InboundSender,
  identityKey,
  type ThreadChange,
  type ThreadFacts,
} from "../../../src/core/message/inbound-event.ts";
import { ignoredEvent } from "../../../src/core/texts/rules.ts";
import { type BotFacts, CHANNEL, chatSender, linkOf, peerOf, routeOf, threadOf, userSender } from "../address.ts";

const COMMAND_DATA = /^\/([a-z0-9_-]+)(?:\s+([\s\S]*))?$/i;

/** What a button, a reaction and a changed place share: they carry no words of a person. */
export function gesture(chat: Chat, accountId: string) {
  return {
    accountId,
    peer: peerOf(chat),
    guildId: null,
    teamId: null,
    attachments: [],
    replyTo: null,
    forwarded: false,
    albumId: null,
    fullLength: false,
  } as const;
}

/**
 * A pressed button whose data is a command (`/model fast`); every press is one event. The query carries no time, and its
 * message's would make a press on an old button look stale (IN-14), so the time is when it was received.
 */
export function readCallback(query: CallbackQuery, { bot, accountId, now }: Reading): TelegramFact {
  const { message, data } = query;
  const [, name, args = ""] = COMMAND_DATA.exec(data ?? "") ?? [];
  if (message === undefined || name === undefined) return { kind: "nothing", why: ignoredEvent.buttonWithoutCommand };
  const { chat } = message;
  const thread = threadOf(message, bot);
  const event: InboundEvent = {
    ...gesture(chat, accountId),
    identity: {
      channel: CHANNEL,
      botId: bot.id,
      conversation: String(chat.id),
      messageId: `callback-${query.id}`,
      kind: "command",
      version: "0",
    },
    kind: "command",
    route: routeOf(chat, thread, accountId),
    thread,
    sender: userSender(query.from, bot.id),
    mentions: { bot: true, replyToBot: false, otherOnly: false },
    text: data ?? "",
    target: null,
    command: { name, args },
    sentAt: now,
    link: linkOf(message, thread),
  };
  return { kind: "event", event };
}

/** A reaction that was added. The update names no topic, so it stands at the top of its chat. */
export function readReaction(change: MessageReactionUpdated, updateId: number, reading: Reading): TelegramFact {
  const { bot, accountId } = reading;
  const { chat, user } = change;
  const before = new Set(change.old_reaction.map(reactionName));
  const added = change.new_reaction.map(reactionName).filter((name) => !before.has(name));
  if (added.length === 0) return { kind: "nothing", why: ignoredEvent.reactionRemoved };
  const message = {
    channel: CHANNEL,
    botId: bot.id,
    conversation: String(chat.id),
    messageId: String(change.message_id),
  };
  const thread = { kind: "none" } as const;
  const event: InboundEvent = {
    ...gesture(chat, accountId),
    identity: { ...message, kind: "reaction", version: `${change.date}.${updateId}` },
    kind: "reaction",
    route: routeOf(chat, thread, accountId),
    thread,
    sender: user === undefined ? chatSender(change.actor_chat ?? chat, undefined) : userSender(user, bot.id),
    mentions: { bot: false, replyToBot: false, otherOnly: false },
    text: added.join(" "),
    target: identityKey({ ...message, kind: "message", version: "0" }),
    command: null,
    sentAt: change.date * 1000,
    link: linkOf(change, thread),
  };
  return { kind: "event", event };
}

function reactionName(reaction: ReactionType): string {
  switch (reaction.type) {
    case "emoji":
      return reaction.emoji;
    case "custom_emoji":
      return `custom:${reaction.custom_emoji_id}`;
    case "paid":
      return "paid";
  }
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

export function changeEvent(
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

/** What an update says, in the product's words. */
export type TelegramFact =
  | { readonly kind: "event"; readonly event: InboundEvent }
  /** A group became a supergroup (SK-9). Both chats say so, in either order. */
  | { readonly kind: "moved"; readonly from: string; readonly to: string }
  /** The bot itself was added, removed, blocked or unblocked. `event`: what that means for the threads in the chat. */
  | {
      readonly kind: "membership";
      readonly chat: string;
      readonly label: string;
      readonly present: boolean;
      readonly event: InboundEvent | null;
    }
  /** An ignored event, and `why`. `event`: a message with a reason for `/why` (IN-17); absent: only the log has it. */
  | { readonly kind: "nothing"; readonly why: string; readonly event?: InboundEvent };

/** What an event is read against. */
export interface Reading {
  readonly bot: BotFacts;
  readonly accountId: string;
  /** When the update was received, in milliseconds: the time of what carries none itself. */
  readonly now: number;
  /** Menu name → the command's own name, where Telegram's alphabet forced another spelling (FC-058). */
  readonly commandNames: ReadonlyMap<string, string>;
}
