import {
  type InboundEvent,
  identityKey,
  type ThreadChange,
  type ThreadFacts,
} from "../../../src/core/message/inbound-event.ts";
import { ignoredEvent } from "../../../src/core/texts/rules.ts";
import {
  type BotFacts,
  CHANNEL,
  type Directory,
  linkOf,
  peerOf,
  personSender,
  routeOf,
  threadOf,
  timeOf,
} from "../address.ts";
import type { PlaceEvent, Reaction, SlackMessage, SlashCall } from "./event-shape.ts";
import { decode } from "./text-in.ts";

/** What a command, a reaction and a changed place share: they carry no words of a person. */
export const GESTURE = {
  guildId: null,
  attachments: [],
  replyTo: null,
  forwarded: false,
  albumId: null,
  fullLength: false,
} as const;

/** A reaction that was added. The event has no thread, so it belongs to the top level of its conversation. */
export function readReaction(change: Reaction, { bot, accountId, directory }: Reading): SlackFact {
  const { channel, ts } = change.item;
  if (channel === undefined || ts === undefined) return { kind: "nothing", why: ignoredEvent.reactionWithoutMessage };
  if (change.user === bot.userId) return { kind: "nothing", why: ignoredEvent.ownReaction };
  const message = { channel: CHANNEL, botId: bot.userId, conversation: channel, messageId: ts };
  const event: InboundEvent = {
    ...GESTURE,
    identity: { ...message, kind: "reaction", version: change.event_ts },
    kind: "reaction",
    accountId,
    route: routeOf(channel, { ts }, accountId),
    peer: peerOf(channel, { channelType: undefined, person: change.user, directory }),
    thread: { kind: "none" },
    teamId: bot.teamId,
    sender: personSender(change.user, bot, directory),
    mentions: { bot: false, replyToBot: change.item_user === bot.userId, otherOnly: false },
    text: change.reaction,
    target: identityKey({ ...message, kind: "message", version: "0" }),
    command: null,
    sentAt: timeOf(change.event_ts),
    link: linkOf(bot, channel, { ts }),
  };
  return { kind: "event", event };
}

/**
 * A slash command (CM-2): `/switchyard status` is `/status`, and so is a command of its own; `/agentstatus` stands for
 * `/status`, which Slack keeps for itself. Slack has none inside threads: `threadTs` is the one that was picked for it. It
 * carries no time: it is now.
 */
export function readSlashCall(call: SlashCall, reading: Reading, threadTs: string | null = null): InboundEvent {
  const { bot, accountId, now, directory } = reading;
  const { name, args } = commandOf(call);
  const channel = call.channel_id;
  const channelType = call.channel_name === "directmessage" ? "im" : undefined;
  const peer = peerOf(channel, { channelType, person: call.user_id, directory });
  const inThread = threadTs === null ? null : { ts: "", thread_ts: threadTs };
  return {
    ...GESTURE,
    identity: {
      channel: CHANNEL,
      botId: bot.userId,
      conversation: channel,
      messageId: `slash-${call.trigger_id}`,
      kind: "command",
      version: "0",
    },
    kind: "command",
    accountId,
    route: { channel: CHANNEL, accountId, to: channel, threadId: threadTs },
    peer,
    thread: inThread === null ? { kind: "none" } : threadOf(inThread, { channel, peer, directory }),
    teamId: bot.teamId,
    sender: personSender(call.user_id, bot, directory, call.user_name),
    mentions: { bot: true, replyToBot: false, otherOnly: false },
    text: `/${name}${args === "" ? "" : ` ${args}`}`,
    target: null,
    command: { name, args, interactionId: call.trigger_id },
    sentAt: now,
    link: `${CHANNEL}:${channel}/slash-${call.trigger_id}`,
  };
}

function commandOf({ command, text }: SlashCall): { readonly name: string; readonly args: string } {
  const own = command.slice(1).toLowerCase();
  // Slack escapes what people type here as it does in messages.
  const typed = decode(text).trim();
  if (own !== "switchyard") return { name: own === "agentstatus" ? "status" : own, args: typed };
  const [, name = "help", args = ""] = /^[/!]?(\S+)\s*([\s\S]*)$/.exec(typed) ?? [];
  return { name: name.toLowerCase(), args };
}

/** A channel that was archived, opened again or deleted, or that the bot was taken out of: with all its threads (TB-6). */
export function readPlaceChange(type: string, change: PlaceEvent, reading: Reading): SlackFact {
  const at = change.event_ts ?? String(reading.now / 1000);
  const event = changeEvent(reading, {
    channel: change.channel,
    thread: { kind: "none" },
    what: whatOf(type),
    user: change.user ?? change.channel,
    messageId: `${type}-${at}`,
    at,
    link: null,
  });
  return { kind: "event", event };
}

function whatOf(type: string): ThreadChange["what"] {
  if (type.endsWith("_left")) return "bot_removed";
  if (type.endsWith("_deleted")) return "deleted";
  return type.endsWith("_unarchive") ? "unarchived" : "archived";
}

/** The bot's own message at the top level was deleted: if a thread hung on it, that is over (TB-6). */
export function ownRootDeleted(
  at: { readonly channel: string; readonly ts: string },
  gone: SlackMessage,
  reading: Reading,
): SlackFact {
  const isRoot = gone.thread_ts === gone.ts;
  if (!isRoot) return { kind: "nothing", why: ignoredEvent.ownMessageDeleted };
  const event = changeEvent(reading, {
    channel: at.channel,
    thread: { kind: "thread", id: gone.ts, label: null },
    what: "deleted",
    user: reading.bot.userId,
    messageId: `deleted-${gone.ts}`,
    at: at.ts,
    link: linkOf(reading.bot, at.channel, gone),
  });
  return { kind: "event", event };
}

function changeEvent(
  { bot, accountId, directory }: Reading,
  change: {
    readonly channel: string;
    readonly thread: ThreadFacts;
    readonly what: ThreadChange["what"];
    readonly user: string;
    readonly messageId: string;
    readonly at: string;
    readonly link: string | null;
  },
): InboundEvent {
  const { channel, thread, what, user, messageId, at, link } = change;
  const kind = "thread_changed";
  return {
    ...GESTURE,
    identity: { channel: CHANNEL, botId: bot.userId, conversation: channel, messageId, kind, version: "0" },
    kind,
    accountId,
    route: { channel: CHANNEL, accountId, to: channel, threadId: thread.kind === "none" ? null : thread.id },
    peer: peerOf(channel, { channelType: undefined, person: user, directory }),
    thread,
    teamId: bot.teamId,
    sender: personSender(user, bot, directory),
    mentions: { bot: false, replyToBot: false, otherOnly: false },
    text: "",
    target: null,
    threadChange: { what },
    command: null,
    sentAt: timeOf(at),
    link,
  };
}

/** What an event says, in the product's words. */
export type SlackFact =
  | { readonly kind: "event"; readonly event: InboundEvent }
  /** A person opened a thread in the assistant's pane: what is written there later is a thread of its own (SK-8). */
  | { readonly kind: "assistant"; readonly channel: string; readonly threadTs: string }
  /** The token no longer works. */
  | { readonly kind: "revoked"; readonly reason: string }
  /** An ignored event, and `why`. `event`: a message with a reason for `/why` (IN-17); absent: only the log has it. */
  | { readonly kind: "nothing"; readonly why: string; readonly event?: InboundEvent };

/** What an event is read against. */
export interface Reading {
  readonly bot: BotFacts;
  readonly accountId: string;
  /** When the event was received, in milliseconds: the time of what carries none itself. */
  readonly now: number;
  readonly directory: Directory;
}
