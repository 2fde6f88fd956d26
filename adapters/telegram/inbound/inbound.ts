import type { Message, Update } from "grammy/types";
import {
  type EventIdentity,
  type InboundEvent,
  identityKey,
  type ReplyFacts,
} from "../../../src/core/message/inbound-event.ts";
import { eventRules, ignoredEvent } from "../../../src/core/texts/rules.ts";
import { type BotFacts, CHANNEL, linkOf, peerOf, routeOf, senderOf, threadOf } from "../address.ts";
import {
  attachmentsOf,
  checkShape,
  describeContent,
  originName,
  quotableText,
  quoteOf,
  readAddressed,
} from "./content.ts";
import { toMarkdown } from "./formatted.ts";
import type { Reading, TelegramFact } from "./gestures.ts";
import { changeEvent, readCallback, readMembership, readReaction } from "./gestures.ts";

/** Telegram's clients cut a longer text near its limit of 4,096; the cut may fall on the last space before it (IN-13). */
const FULL_LENGTH = 4_000;

/** What is asked for with getUpdates and setWebhook; `message_reaction` only comes when named. */
export const ALLOWED_UPDATES = [
  "message",
  "edited_message",
  "channel_post",
  "edited_channel_post",
  "message_reaction",
  "callback_query",
  "my_chat_member",
] as const;

/** Reads one update, purely (IN-1). Throws only on an update that is not shaped as the Bot API says: a poison event (IN-3). */
export function readUpdate(update: Update, reading: Reading): TelegramFact {
  checkShape(update);
  const written = update.message ?? update.channel_post;
  if (written !== undefined) return readMessage(written, reading);
  const edited = update.edited_message ?? update.edited_channel_post;
  if (edited !== undefined) return readEdit(edited, update.update_id, reading);
  if (update.callback_query !== undefined) return readCallback(update.callback_query, reading);
  if (update.message_reaction !== undefined) return readReaction(update.message_reaction, update.update_id, reading);
  if (update.my_chat_member !== undefined) return readMembership(update.my_chat_member, update.update_id, reading);
  return { kind: "nothing", why: ignoredEvent.unusedKind };
}

function readMessage(message: Message, reading: Reading): TelegramFact {
  const chat = String(message.chat.id);
  if (message.migrate_to_chat_id !== undefined)
    return { kind: "moved", from: chat, to: String(message.migrate_to_chat_id) };
  if (message.migrate_from_chat_id !== undefined)
    return { kind: "moved", from: String(message.migrate_from_chat_id), to: chat };
  const changed = readTopicChange(message, reading);
  if (changed !== null) return changed;
  const event = contentEvent(message, reading, { kind: "message", version: "0" });
  if (hasContent(event)) return { kind: "event", event };
  const why = eventRules.service(serviceKind(message));
  return event.sender.isSelf
    ? { kind: "nothing", why }
    : { kind: "nothing", why, event: { ...event, startsNothing: why } };
}

/**
 * `edit_date` counts whole seconds, so two edits within one would be one event; the update's number tells them apart and is
 * the same when the update comes again (IN-2).
 */
function readEdit(message: Message, updateId: number, reading: Reading): TelegramFact {
  const editedAt = message.edit_date ?? message.date;
  const event = contentEvent(message, reading, { kind: "edit", version: `${editedAt}.${updateId}` });
  if (!hasContent(event)) return { kind: "nothing", why: ignoredEvent.editedService };
  const target = identityKey({ ...event.identity, kind: "message", version: "0" });
  return { kind: "event", event: { ...event, target, sentAt: editedAt * 1000 } };
}

/** FC-423: what is said to another bot is not for this one, unless it is mentioned. */
function repliesToOtherBot({ reply_to_message: replied }: Message, bot: BotFacts): boolean {
  if (replied === undefined || replied.forum_topic_created !== undefined) return false;
  const sender = senderOf(replied, bot.id);
  return sender.isBot && !sender.isSelf;
}

function hasContent({ text, quotes = [], attachments, mentions }: InboundEvent): boolean {
  return text !== "" || quotes.length > 0 || attachments.length > 0 || mentions.bot;
}

/** The field that makes a message a service message: the one the Bot API adds to what every message has. */
function serviceKind(message: Message): string {
  return Object.keys(message).find((key) => !FRAME.includes(key)) ?? "unknown";
}

/** What says who wrote a message where, and how it is shown: never content. */
const FRAME = [
  "message_id",
  "message_thread_id",
  "from",
  "sender_chat",
  "sender_tag",
  "date",
  "chat",
  "is_topic_message",
  "reply_to_message",
  "author_signature",
];

function contentEvent(
  message: Message,
  reading: Reading,
  as: { readonly kind: "message" | "edit"; readonly version: string },
): InboundEvent {
  const { bot, accountId } = reading;
  const attachments = attachmentsOf(message);
  const described = describeContent(message);
  const quote = quoteOf(message);
  const typed = message.text ?? message.caption;
  const entities = message.entities ?? message.caption_entities ?? [];
  // Nothing in a forward is said to this bot by who forwards it.
  const addressed = readAddressed(quote === null ? (typed ?? "") : "", quote === null ? entities : [], bot);
  const own = [ownCommandName(addressed.text, reading.commandNames), quote === null ? described : null];
  const thread = threadOf(message, bot);
  const replyTo = replyOf(message, bot);
  const isPrivate = message.chat.type === "private";
  return {
    identity: identityOf(message, bot, as),
    kind: as.kind,
    accountId,
    route: routeOf(message.chat, thread, accountId),
    peer: peerOf(message.chat),
    thread,
    guildId: null,
    teamId: null,
    sender: senderOf(message, bot.id),
    mentions: {
      bot: addressed.bot,
      replyToBot: replyTo?.fromBot ?? false,
      // In a private chat nobody else can be meant by a mention: "remind me to write to @ann".
      otherOnly:
        !addressed.bot &&
        (addressed.otherCommand || ((addressed.others || repliesToOtherBot(message, bot)) && !isPrivate)),
    },
    text: own.filter((part) => part !== null && part !== "").join("\n"),
    attachments,
    replyTo,
    forwarded: quote?.kind === "forward",
    ...(quote === null ? {} : { quotes: [quote] }),
    albumId: message.media_group_id ?? null,
    target: null,
    command: null,
    fullLength: (message.text ?? "").length >= FULL_LENGTH,
    sentAt: message.date * 1000,
    link: linkOf(message, thread),
  };
}

/** An ephemeral message has no id of its own in the chat (0); its own number is reused, so the time stands with it. */
function identityOf(message: Message, bot: BotFacts, as: Pick<EventIdentity, "kind" | "version">): EventIdentity {
  const { message_id: id, ephemeral_message_id: ephemeral, date } = message;
  const messageId = id === 0 && ephemeral !== undefined ? `ephemeral-${ephemeral}-${date}` : String(id);
  return { channel: CHANNEL, botId: bot.id, conversation: String(message.chat.id), messageId, ...as };
}

/** `/export_session` from the menu becomes `/export-session`. */
function ownCommandName(text: string, names: ReadonlyMap<string, string>): string {
  const [called, name] = /^\/([a-z0-9_]{1,32})(?![^\s])/i.exec(text) ?? [];
  const own = name === undefined ? undefined : names.get(name.toLowerCase());
  return called === undefined || own === undefined ? text : `/${own}${text.slice(called.length)}`;
}

/** In a topic every message is a reply to the one that opened it; that is no quote, and not addressed to who opened it. */
function replyOf(message: Message, bot: BotFacts): ReplyFacts | null {
  const { reply_to_message: replied, external_reply: external, quote } = message;
  if (replied !== undefined) {
    if (replied.forum_topic_created !== undefined) return null;
    const sender = senderOf(replied, bot.id);
    const text = quote === undefined ? quotableText(replied) : toMarkdown(quote.text, quote.entities ?? []);
    const quoted = { messageId: String(replied.message_id), senderName: sender.name, text, fromBot: sender.isSelf };
    return { ...quoted, ...filesOf(replied) };
  }
  if (external === undefined) return null;
  const text = quote === undefined ? "" : toMarkdown(quote.text, quote.entities ?? []);
  return {
    messageId: String(external.message_id ?? ""),
    senderName: originName(external.origin),
    text,
    fromBot: false,
    ...filesOf(external),
  };
}

/** FC-205: a person who replies to a picture points at it. */
function filesOf(quoted: Parameters<typeof attachmentsOf>[0]): Pick<ReplyFacts, "attachments"> {
  const attachments = attachmentsOf(quoted);
  return attachments.length === 0 ? {} : { attachments };
}

/**
 * A topic that was closed or opened again (TB-6). Deleting one is told to nobody: the next message to it is refused. null:
 * the message says nothing of that kind.
 */
function readTopicChange(message: Message, reading: Reading): TelegramFact | null {
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
