import type { CallbackQuery, Chat, MessageReactionUpdated, ReactionType } from "grammy/types";
import { type InboundEvent, identityKey } from "../../../src/core/message/inbound-event.ts";
import { CHANNEL, chatSender, linkOf, peerOf, routeOf, threadOf, userSender } from "../address.ts";
import type { Reading, TelegramFact } from "./fact.ts";

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
  if (message === undefined || name === undefined) return { kind: "nothing", why: "a button without a command" };
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
  if (added.length === 0) return { kind: "nothing", why: "a reaction was taken back" };
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
