import { type InboundEvent, identityKey } from "../../../src/core/message/inbound-event.ts";
import { slackAccountTexts } from "../../../src/core/texts/platforms/accounts.ts";
import { eventRules, ignoredEvent } from "../../../src/core/texts/rules.ts";
import { CHANNEL, isOwn, linkOf, peerOf, routeOf, senderOf, threadOf, timeOf } from "../address.ts";
import {
  type OuterEvent,
  readAssistant,
  readChanged,
  readDeleted,
  readPlace,
  readReactionShape,
  readWritten,
  type SlackMessage,
} from "./event-shape.ts";
import type { Reading, SlackFact } from "./gestures.ts";
import { ownRootDeleted, readPlaceChange, readReaction } from "./gestures.ts";
import { contentOf, readText, written } from "./text-in.ts";

/** Slack's clients cut a longer text at 4,000 characters; the cut may fall on the last space before it (IN-13). */
const FULL_LENGTH = 3_900;

/** People write messages with these subtypes; the others are Slack's own notices. */
const SPOKEN: readonly (string | undefined)[] = [
  undefined,
  "file_share",
  "thread_broadcast",
  "me_message",
  "bot_message",
  "file_comment",
];

const nothing = (why: string): SlackFact => ({ kind: "nothing", why });

/** Reads one event, purely (IN-1). Throws only on one that is not shaped as Slack promises: a poison event (IN-3). */
export function readEvent(outer: OuterEvent, reading: Reading): SlackFact {
  const { event } = outer;
  switch (event.type) {
    case "message":
      return readMessage(event, reading);
    case "app_mention":
      return readMention(event, reading);
    case "reaction_added":
      return readReaction(readReactionShape(event), reading);
    case "assistant_thread_started": {
      const { channel_id: channel, thread_ts: threadTs } = readAssistant(event).assistant_thread;
      return { kind: "assistant", channel, threadTs };
    }
    case "channel_left":
    case "group_left":
    case "channel_deleted":
    case "group_deleted":
    case "channel_archive":
    case "group_archive":
    case "channel_unarchive":
    case "group_unarchive":
      return readPlaceChange(event.type, readPlace(event), reading);
    case "tokens_revoked":
      return { kind: "revoked", reason: slackAccountTexts.tokenRevoked };
    case "app_uninstalled":
      return { kind: "revoked", reason: slackAccountTexts.appRemoved };
    default:
      return nothing(ignoredEvent.unusedKind);
  }
}

function readMessage(event: OuterEvent["event"], reading: Reading): SlackFact {
  if (event.subtype === "message_changed") return readChange(event, reading);
  if (event.subtype === "message_deleted") return readDeletion(event, reading);
  if (!SPOKEN.includes(event.subtype)) return readNotice(event, reading);
  const message = readWritten(event);
  return contentFact(message, reading, { at: message, as: { kind: "message", version: "0" } });
}

/** A notice of Slack itself, with its reason (IN-17). No person wrote it, so its text is not read. */
function readNotice(event: OuterEvent["event"], reading: Reading): SlackFact {
  const why = eventRules.service(event.subtype ?? event.type);
  const { user, ts, channel, channel_type } = event;
  if ([user, ts, channel].some((field) => typeof field !== "string") || ts === "") return nothing(why);
  const message = readWritten({ ts, user, channel, channel_type });
  if (isOwn(message, reading.bot)) return nothing(why);
  const at = { at: message, as: { kind: "message", version: "0" } } as const;
  return { kind: "nothing", why, event: { ...eventOf(message, reading, at), startsNothing: why } };
}

/** Reads the first message of a thread, from any author (FC-206). */
export function readRoot(message: object, channel: string, reading: Reading): InboundEvent {
  const root = readWritten({ ...message, type: "message", channel });
  return eventOf(root, reading, { at: root, as: { kind: "message", version: "0" } });
}

/** The same post comes as `message` too, in either order, with the same ts: both are one event (IN-2, FC-068, FC-069). */
function readMention(event: OuterEvent["event"], reading: Reading): SlackFact {
  const message = readWritten(event);
  const fact = contentFact(message, reading, { at: message, as: { kind: "message", version: "0" } });
  if (fact.kind !== "event") return fact;
  const mentions = { ...fact.event.mentions, bot: true, otherOnly: false };
  return { kind: "event", event: { ...fact.event, mentions } };
}

/**
 * An edit, by its author. The bot's own updates come back as this, and so do link previews and replies that are counted,
 * with the text as it was: none of them is an edit (FC-080).
 */
function readChange(event: OuterEvent["event"], reading: Reading): SlackFact {
  const change = readChanged(event);
  const { message, previous_message: previous } = change;
  if (message.subtype === "tombstone") {
    return deletionFact({ ...change, deleted_ts: message.ts }, previous ?? message, reading);
  }
  if (isOwn(message, reading.bot)) return nothing(ignoredEvent.ownEdit);
  if (!SPOKEN.includes(message.subtype)) return nothing(eventRules.service(String(message.subtype)));
  if (previous !== undefined && written(previous) === written(message)) return nothing(ignoredEvent.linkPreview);
  const version = message.edited?.ts ?? change.ts;
  const fact = contentFact(message, reading, { at: change, as: { kind: "edit", version } });
  if (fact.kind !== "event") return fact;
  const target = identityKey({ ...fact.event.identity, kind: "message", version: "0" });
  // Several edits within a second share `edited.ts`; the event's own ts tells them apart and is the same in a repeat.
  const identity = { ...fact.event.identity, version: `${version}.${change.ts}` };
  return { kind: "event", event: { ...fact.event, identity, target, sentAt: timeOf(version) } };
}

function readDeletion(event: OuterEvent["event"], reading: Reading): SlackFact {
  const change = readDeleted(event);
  return deletionFact(change, change.previous_message, reading);
}

function deletionFact(
  change: Place & { readonly ts: string; readonly deleted_ts: string },
  previous: SlackMessage | undefined,
  reading: Reading,
): SlackFact {
  if (previous === undefined) return nothing(ignoredEvent.unknownDeletion);
  const gone = { ...previous, ts: change.deleted_ts };
  if (isOwn(previous, reading.bot)) return ownRootDeleted(change, gone, reading);
  const fact = contentFact(gone, reading, { at: change, as: { kind: "delete", version: "0" } });
  if (fact.kind !== "event") return fact;
  const target = identityKey({ ...fact.event.identity, kind: "message", version: "0" });
  const event = { ...fact.event, target, text: "", attachments: [], sentAt: timeOf(change.ts) };
  return { kind: "event", event };
}

interface Place {
  readonly channel: string;
  readonly channel_type?: string | undefined;
}

interface As {
  readonly at: Place;
  readonly as: { readonly kind: "message" | "edit" | "delete"; readonly version: string };
}

function contentFact(message: SlackMessage, reading: Reading, as: As): SlackFact {
  if (isOwn(message, reading.bot)) return nothing(ignoredEvent.ownMessage);
  const event = eventOf(message, reading, as);
  if (event.sender.id === "") return nothing(ignoredEvent.noSender);
  const { text, quotes = [], attachments, mentions } = event;
  const empty = text === "" && !mentions.bot && quotes.length === 0 && attachments.length === 0;
  if (!empty || as.as.kind !== "message") return { kind: "event", event };
  const why = eventRules.empty;
  return { kind: "nothing", why, event: { ...event, startsNothing: why } };
}

/** The identity of the message that a thread hangs on (FC-206). */
function rootKey({ userId }: Reading["bot"], conversation: string, messageId: string): string {
  return identityKey({ channel: CHANNEL, botId: userId, conversation, messageId, kind: "message", version: "0" });
}

function eventOf(message: SlackMessage, reading: Reading, { at, as }: As): InboundEvent {
  const { bot, accountId, directory } = reading;
  const { channel } = at;
  const content = contentOf(message);
  const { attachments } = content;
  const said = readText(content.text, bot.userId, directory);
  const quotes = content.quotes.map((quote) => ({
    ...quote,
    text: readText(quote.text, bot.userId, directory).text,
  }));
  const sender = senderOf(message, bot, directory);
  const peer = peerOf(channel, { channelType: at.channel_type, person: sender.id, directory });
  const thread = threadOf(message, { channel, peer, directory });
  return {
    identity: { channel: CHANNEL, botId: bot.userId, conversation: channel, messageId: message.ts, ...as },
    kind: as.kind,
    accountId,
    route: routeOf(channel, message, accountId),
    peer,
    thread,
    ...(thread.kind === "thread" ? { threadRoot: rootKey(bot, channel, thread.id) } : {}),
    guildId: null,
    teamId: bot.teamId,
    sender,
    mentions: {
      bot: said.bot,
      replyToBot: message.thread_ts !== message.ts && message.parent_user_id === bot.userId,
      // In a direct conversation a mention does not address anyone else: "remind me to write to @ann".
      otherOnly: !said.bot && said.others && peer.kind !== "direct",
    },
    text: said.text,
    attachments,
    replyTo: null,
    forwarded: said.text === "" && quotes.some(({ kind }) => kind === "forward"),
    ...(quotes.length === 0 ? {} : { quotes }),
    albumId: null,
    target: null,
    command: null,
    fullLength: said.text.length >= FULL_LENGTH,
    sentAt: timeOf(message.ts),
    link: linkOf(bot, channel, message),
  };
}
