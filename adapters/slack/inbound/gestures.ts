import { type InboundEvent, identityKey } from "../../../src/core/message/inbound-event.ts";
import { CHANNEL, linkOf, peerOf, personSender, routeOf, threadOf, timeOf } from "../address.ts";
import type { Reaction, SlashCall } from "./event-shape.ts";
import type { Reading, SlackFact } from "./fact.ts";
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

/** A reaction that was added. The event names no thread, so it stands at the top of its conversation. */
export function readReaction(change: Reaction, { bot, accountId, directory }: Reading): SlackFact {
  const { channel, ts } = change.item;
  if (channel === undefined || ts === undefined) return { kind: "nothing", why: "a reaction to no message" };
  if (change.user === bot.userId) return { kind: "nothing", why: "the bot's own reaction" };
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
