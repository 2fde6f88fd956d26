import type { InboundEvent, ThreadChange, ThreadFacts } from "../../../src/core/message/inbound-event.ts";
import { CHANNEL, linkOf, peerOf, personSender, timeOf } from "../address.ts";
import type { PlaceEvent, SlackMessage } from "./event-shape.ts";
import type { Reading, SlackFact } from "./fact.ts";
import { GESTURE } from "./gestures.ts";

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
  if (!isRoot) return { kind: "nothing", why: "the bot's own message was deleted" };
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
