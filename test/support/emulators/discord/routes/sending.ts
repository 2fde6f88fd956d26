import { botsSeeing } from "../audience.ts";
import { tell } from "../gateway/events.ts";
import { checkAllowedMentions, mentionsIn } from "../mentions.ts";
import { messageView } from "../message-view.ts";
import { post } from "../messages.ts";
import type { ChannelRecord, StoredMessage } from "../records.ts";
import { badRequest, invalidForm } from "../refusal.ts";
import { joinThread, referenceTo } from "../threads.ts";
import { FLAG, INTENT, MESSAGE_TYPE } from "../wire-types.ts";
import { channelFor, checkMayWrite, may, needs } from "./destination.ts";
import type { BotContext, BotHandlers, CreateMessageBody, MessageBody } from "./handler.ts";
import { newContent } from "./message-content.ts";

/** Create Message: with `enforce_nonce` a nonce is unique per author for "the past few minutes". */
const NONCE_MS = 5 * 60_000;
const SETTABLE_FLAGS = FLAG.suppressEmbeds | FLAG.suppressNotifications | FLAG.componentsV2;

/** A message as this bot sees it in an answer. */
export function viewFor(context: BotContext, channel: ChannelRecord, stored: StoredMessage): object {
  const { world, bot } = context;
  return messageView(world, channel, stored, { bot, content: bot.facts.messageContent });
}

function repliedTo(context: BotContext, channel: ChannelRecord, body: CreateMessageBody): StoredMessage | null {
  const reference = body.message_reference ?? null;
  if (reference === null) return null;
  if ((reference.channel_id ?? channel.id) !== channel.id) {
    throw invalidForm({
      path: ["message_reference"],
      code: "REPLIES_CANNOT_REFERENCE_OTHER_CHANNEL",
      message: "Cannot reply to a message in a different channel",
    });
  }
  if (!may(context, channel, "ReadMessageHistory")) {
    throw badRequest(160002, "Cannot reply without permission to read message history");
  }
  const target = channel.messages.get(reference.message_id);
  if (target !== undefined && !target.deleted) return target;
  if (reference.fail_if_not_exists === false) return null;
  throw invalidForm({
    path: ["message_reference"],
    code: "MESSAGE_REFERENCE_UNKNOWN_MESSAGE",
    message: "Unknown message",
  });
}

function sameNonce(context: BotContext, channel: ChannelRecord, nonce: string | number): StoredMessage | undefined {
  const since = context.world.clock() - NONCE_MS;
  return [...channel.messages.values()].find(
    (m) => String(m.message.nonce) === String(nonce) && m.authorId === context.bot.user.id && m.at >= since,
  );
}

/** Writes a checked message as the bot. */
export function postAsBot(
  context: BotContext,
  channel: ChannelRecord,
  body: MessageBody & Pick<CreateMessageBody, "nonce">,
  replyTo: StoredMessage | null = null,
  id?: string,
): StoredMessage {
  const { world, bot, files } = context;
  checkAllowedMentions(body.allowed_mentions);
  const content = newContent(world, channel.id, { body, files });
  if (content.attachments.length > 0) needs(context, channel, "AttachFiles");
  const mentions = mentionsIn(
    world,
    { channel, authorId: bot.user.id },
    { content: content.content, allowed: body.allowed_mentions, replyTo },
  );
  const stored = post(world, channel, {
    author: bot.user,
    replyTo,
    nonce: body.nonce ?? null,
    ...(id === undefined ? {} : { id }),
    content: {
      ...content,
      type: replyTo === null ? MESSAGE_TYPE.default : MESSAGE_TYPE.reply,
      flags: (body.flags ?? 0) & SETTABLE_FLAGS,
      tts: body.tts === true,
      mentions: mentions.users,
      mention_roles: mentions.roles,
      mention_everyone: mentions.everyone,
      ...(replyTo === null ? {} : { message_reference: referenceTo(channel, replyTo.message.id) }),
    },
  });
  if (channel.thread !== null) joinThread(world, channel, bot.user);
  return stored;
}

export const sendingRoutes: BotHandlers<"create_message" | "trigger_typing_indicator"> = {
  create_message: (context, body) => {
    const channel = channelFor(context);
    checkMayWrite(context, channel);
    const replyTo = repliedTo(context, channel, body);
    const { nonce } = body;
    const given = nonce !== undefined && nonce !== null;
    if (given && body.enforce_nonce === true) {
      const earlier = sameNonce(context, channel, nonce);
      if (earlier !== undefined) return viewFor(context, channel, earlier);
    }
    return viewFor(context, channel, postAsBot(context, channel, body, replyTo));
  },

  trigger_typing_indicator: (context) => {
    const channel = channelFor(context);
    checkMayWrite(context, channel);
    const { world, bot } = context;
    channel.typing.push({ seq: world.nextSeq(), at: world.clock(), userId: bot.user.id });
    tell(
      botsSeeing(world, channel).filter((other) => other !== bot),
      {
        t: "TYPING_START",
        intents: channel.dm === null ? INTENT.guildTyping : INTENT.directTyping,
        guildId: channel.guildId,
        data: () => ({ channel_id: channel.id, user_id: bot.user.id, timestamp: Math.floor(world.clock() / 1000) }),
      },
    );
    world.signals.changed();
    return undefined;
  },
};
