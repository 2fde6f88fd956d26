import { type APIMessage, type APIUser, MessageType } from "discord-api-types/v10";
import {
  type EventIdentity,
  type InboundEvent,
  type InboundSender,
  identityKey,
  type ReplyFacts,
} from "../../../src/core/message/inbound-event.ts";
import { eventRules, ignoredEvent } from "../../../src/core/texts/rules.ts";
import {
  type BotFacts,
  CHANNEL,
  linkOf,
  type Place,
  peerOf,
  personName,
  routeOf,
  senderOf,
  threadOf,
} from "../address.ts";
import type { DiscordMessage } from "./content.ts";
import { contentOf, quotableText } from "./content.ts";
import type { DiscordFact, NameOf, Reading } from "./fact.ts";

/** Discord's client refuses a longer text, so a person goes on in the next message near it (IN-13). */
const FULL_LENGTH = 1_950;

/** Everything else is a service message: joins, pins, boosts, "started a thread", the first line of a thread. */
const WRITTEN: readonly MessageType[] = [
  MessageType.Default,
  MessageType.Reply,
  MessageType.ChatInputCommand,
  MessageType.ContextMenuCommand,
];

/** Reads a new message, purely (IN-1): from the gateway, from a replay or from the history, always to the same identity (IN-2). */
export function readMessage(message: DiscordMessage, reading: Reading): DiscordFact {
  if (isOwn(message, reading)) return { kind: "nothing", why: ignoredEvent.ownMessage };
  const event = contentEvent(message, reading, { kind: "message", version: "0" });
  const spoken = WRITTEN.includes(message.type);
  if (spoken && hasContent(event)) return { kind: "event", event };
  const why = spoken ? eventRules.empty : eventRules.service(MessageType[message.type] ?? String(message.type));
  return { kind: "nothing", why, event: { ...event, text: "", startsNothing: why } };
}

/** Reads the first message of a thread, from any author (FC-206). */
export function readRoot(message: DiscordMessage, reading: Reading): InboundEvent {
  return contentEvent(message, reading, { kind: "message", version: "0" });
}

/**
 * Reads a changed message. Embeds that arrive later, pins, and a thread that grows from it change the message too, but carry
 * no (other) time of an edit: they are none (IN-11, FC-134).
 */
export function readEdit(message: DiscordMessage, reading: Reading): DiscordFact {
  const editedAt = Date.parse(message.edited_timestamp ?? "");
  if (Number.isNaN(editedAt)) return { kind: "nothing", why: ignoredEvent.embedsOnly };
  if (isOwn(message, reading)) return { kind: "nothing", why: ignoredEvent.ownMessage };
  if (!WRITTEN.includes(message.type)) return { kind: "nothing", why: ignoredEvent.editedService };
  const event = contentEvent(message, reading, { kind: "edit", version: String(editedAt) });
  if (!hasContent(event)) return { kind: "nothing", why: ignoredEvent.emptyEdit };
  const target = identityKey({ ...event.identity, kind: "message", version: "0" });
  return { kind: "event", event: { ...event, target, sentAt: editedAt } };
}

/** Reads a deletion. Discord does not say who deleted. */
export function readDeletion(messageId: string, reading: Reading): DiscordFact {
  const { place, accountId, now } = reading;
  const identity = identityOf(reading, messageId, { kind: "delete", version: "0" });
  const event: InboundEvent = {
    ...withoutWords(place, accountId),
    identity,
    kind: "delete",
    sender: nobody(),
    target: identityKey({ ...identity, kind: "message" }),
    sentAt: now,
    link: linkOf(place, messageId),
  };
  return { kind: "event", event };
}

function isOwn(message: DiscordMessage, { bot }: Reading): boolean {
  return message.author.id === bot.id || message.webhook_id === bot.applicationId;
}

/** FC-423: what is said to another bot is not for this one, unless it is mentioned. A webhook often speaks for a person. */
function repliesToOtherBot({ type, referenced_message: replied }: DiscordMessage, bot: BotFacts): boolean {
  if (type !== MessageType.Reply || replied === undefined || replied === null) return false;
  return replied.author.bot === true && replied.webhook_id === undefined && replied.author.id !== bot.id;
}

function hasContent({ text, quotes = [], attachments, mentions }: InboundEvent): boolean {
  return text !== "" || quotes.length > 0 || attachments.length > 0 || mentions.bot;
}

function contentEvent(
  message: DiscordMessage,
  reading: Reading,
  as: Pick<EventIdentity, "kind" | "version"> & { readonly kind: "message" | "edit" },
): InboundEvent {
  const { bot, accountId, place, nameOf } = reading;
  const { typed, shown, quotes, forwarded, attachments } = contentOf(message);
  const addressed = readAddressed(typed, { id: bot.id, roleId: place.botRoleId });
  const sender = senderOf(message.author, { member: message.member, bot, webhookId: message.webhook_id });
  const named = (text: string): string => withNames(text, message.mentions ?? [], nameOf);
  const replyTo = replyOf(message, reading);
  return {
    identity: identityOf(reading, message.id, as),
    kind: as.kind,
    accountId,
    route: routeOf(place, accountId),
    peer: place.kind === "direct" ? { kind: "direct", id: sender.id, label: sender.name } : peerOf(place),
    thread: threadOf(place),
    ...rootOf(message, reading),
    guildId: place.guildId,
    teamId: null,
    sender,
    mentions: {
      bot: addressed.bot,
      // A reply pings by itself: between bots only a mention in the text counts (IN-4, FC-083).
      replyToBot: (replyTo?.fromBot ?? false) && !sender.isBot,
      // In direct messages a mention cannot address anyone else.
      otherOnly: !addressed.bot && (addressed.others || repliesToOtherBot(message, bot)) && place.kind !== "direct",
    },
    text: named([addressed.text, shown].filter((part) => part !== "").join("\n")),
    attachments,
    replyTo,
    forwarded,
    ...(quotes.length === 0 ? {} : { quotes: quotes.map((quote) => ({ ...quote, text: named(quote.text) })) }),
    albumId: null,
    target: null,
    command: null,
    fullLength: message.content.length >= FULL_LENGTH,
    sentAt: Date.parse(message.timestamp),
    link: linkOf(place, message.id),
  };
}

/** FC-206: a thread has the id of the message it was made from; the first message of a post is in the post itself. */
function rootOf({ id }: APIMessage, { bot, place }: Reading): Pick<InboundEvent, "threadRoot"> {
  if (place.kind !== "thread" || place.parent === null || id === place.id) return {};
  const conversation = place.parent.holdsMessages ? place.parent.id : place.id;
  return {
    threadRoot: identityKey({
      ...{ channel: CHANNEL, botId: bot.id, conversation, messageId: place.id },
      ...{ kind: "message", version: "0" },
    }),
  };
}

export function identityOf(
  { bot, place }: Pick<Reading, "bot" | "place">,
  messageId: string,
  as: Pick<EventIdentity, "kind" | "version">,
): EventIdentity {
  return { channel: CHANNEL, botId: bot.id, conversation: place.id, messageId, ...as };
}

function replyOf(message: APIMessage, { bot, nameOf }: Reading): ReplyFacts | null {
  const { message_reference: reference, referenced_message: replied } = message;
  if (message.type !== MessageType.Reply || reference?.message_id === undefined) return null;
  if (replied === undefined || replied === null) {
    return { messageId: reference.message_id, senderName: "", text: "", fromBot: false };
  }
  const fromBot = replied.author.id === bot.id || replied.webhook_id === bot.applicationId;
  const { attachments } = contentOf(replied);
  const quoted = {
    messageId: replied.id,
    senderName: personName(replied.author),
    text: withNames(quotableText(replied), replied.mentions ?? [], nameOf),
    fromBot,
  };
  // FC-205: a person who replies to a picture points at it.
  return attachments.length === 0 ? quoted : { ...quoted, attachments };
}

/** What events without words share. */
export function withoutWords(place: Place, accountId: string) {
  return {
    accountId,
    route: routeOf(place, accountId),
    peer: peerOf(place),
    thread: threadOf(place),
    guildId: place.guildId,
    teamId: null,
    mentions: { bot: false, replyToBot: false, otherOnly: false },
    text: "",
    attachments: [],
    replyTo: null,
    forwarded: false,
    albumId: null,
    target: null,
    command: null,
    fullLength: false,
  } as const;
}

/** The platform does not say who did it. */
export function nobody(): InboundSender {
  return { id: "", name: "", username: null, isBot: false, isSelf: false, roleIds: [] };
}

/** The text of a message without this bot's own mention, and who it addresses. */
export interface AddressedText {
  readonly text: string;
  /** This bot, or the role the platform made for it, is mentioned. */
  readonly bot: boolean;
  /** Another person, bot or role is mentioned. */
  readonly others: boolean;
}

interface Cut {
  readonly from: number;
  readonly to: number;
}

/** FC-210: people, channels and roles read as name and id, a custom emoji as its name. Nothing inside code is changed. */
function withNames(text: string, people: readonly APIUser[], nameOf: NameOf): string {
  if (!text.includes("<")) return text;
  const names = new Map(people.map((person) => [person.id, personName(person)]));
  const code = codeRanges(text);
  const inCode = (at: number): boolean => code.some(([start, end]) => at >= start && at < end);
  return text.replace(
    NAMED,
    (whole: string, mark: string | undefined, id = "", emoji: string | undefined, at: number) => {
      if (inCode(at)) return whole;
      if (emoji !== undefined) return `:${emoji}:`;
      const kind = mark === "#" ? "channel" : "role";
      const name = mark === "#" || mark === "@&" ? nameOf(kind, id) : names.get(id);
      return name == null ? whole : `${mark === "#" ? "#" : "@"}${inText(name)} (${id})`;
    },
  );
}

/** A name cannot insert a line or a directive into another person's text. */
function inText(name: string): string {
  return name.replace(/[\p{Cc}\s]+/gu, " ").replace(/(^| )[/!]+/g, "$1");
}

const NAMED = /<(@[!&]?|#)(\d{1,20})>|<a?:(\w{2,32}):\d{1,20}>/g;
const MENTION = /<@(!|&)?(\d{1,20})>/g;

/**
 * Reads mentions from the text only: the platform's own list also holds who is merely replied to (FC-083). Inside code they
 * are none. `@everyone` and `@here` do not address the bot. Everything but the bot's own mention stays verbatim.
 */
export function readAddressed(
  text: string,
  bot: { readonly id: string; readonly roleId: string | null },
): AddressedText {
  const code = codeRanges(text);
  const cuts: Cut[] = [];
  let others = false;
  for (const match of text.matchAll(MENTION)) {
    const from = match.index;
    if (code.some(([start, end]) => from >= start && from < end)) continue;
    const [whole, sign, id] = match;
    if (id === (sign === "&" ? bot.roleId : bot.id)) cuts.push({ from, to: from + whole.length });
    else others = true;
  }
  return { text: cuts.reduceRight(cutOut, text), bot: cuts.length > 0, others };
}

/** A mention goes with the space that set it off. */
function cutOut(text: string, { from, to }: Cut): string {
  const before = text.slice(0, from);
  const after = text.slice(to);
  if (before.trim() === "") return after.trimStart();
  if (after.trim() === "") return before.trimEnd();
  return /\s$/.test(before) && /^\s/.test(after) ? before + after.slice(1) : before + after;
}

/** Where inline code and code blocks stand. */
function codeRanges(text: string): readonly (readonly [number, number])[] {
  if (!text.includes("`")) return [];
  return [...text.matchAll(/(```[\s\S]*?```)|(`+)(?!`)[\s\S]*?[^`]\2(?!`)/g)].map((match) => [
    match.index,
    match.index + match[0].length,
  ]);
}
