import { checkAllowedMentions, mentionsIn } from "../mentions.ts";
import { post } from "../messages.ts";
import type { InteractionRecord, StoredMessage } from "../records.ts";
import { forbidden } from "../refusal.ts";
import { referenceTo, reopenByWriting } from "../threads.ts";
import { type APIMessage, FLAG, MESSAGE_TYPE } from "../wire-types.ts";
import type { World } from "../world.ts";
import type { CallContext, MessageBody } from "./handler.ts";
import { newContent } from "./message-content.ts";

/** What every message of an interaction carries: whose it is and what it answers. */
function frame(record: InteractionRecord, ephemeral: boolean): Partial<APIMessage> {
  const metadata = {
    id: record.id,
    type: record.kind === "command" ? 2 : 3,
    user: record.user,
    authorizing_integration_owners: { 0: record.channel.guildId ?? "0" },
    ...(record.kind === "button" ? { interacted_message_id: record.originalId } : {}),
  };
  return {
    application_id: record.bot.user.id,
    webhook_id: record.bot.user.id,
    flags: ephemeral ? FLAG.ephemeral : 0,
    // The published type is a union by kind of interaction; this object is its command and its component form.
    interaction_metadata: metadata as unknown as NonNullable<APIMessage["interaction_metadata"]>,
  };
}

/** Writing into an archived thread opens it, unless it is locked. */
function open(world: World, record: InteractionRecord): void {
  const { thread } = record.channel;
  if (thread?.archived === true && thread.locked) throw forbidden(50083, "Thread is archived");
  reopenByWriting(world, record.channel);
}

/** The message a follow-up or a button's answer refers to; the first answer of a command refers to none. */
function reference(record: InteractionRecord): Partial<APIMessage> {
  const type = record.kind === "command" ? MESSAGE_TYPE.chatInputCommand : MESSAGE_TYPE.default;
  if (record.originalId === null) return { type };
  return { type: MESSAGE_TYPE.reply, message_reference: referenceTo(record.channel, record.originalId) };
}

/** Writes an answer or a follow-up as the bot. Needs no permission to write here. */
export function postAnswer(
  { world, files }: CallContext,
  record: InteractionRecord,
  body: MessageBody,
  ephemeral: boolean,
): StoredMessage {
  const { channel, bot } = record;
  checkAllowedMentions(body.allowed_mentions);
  const content = newContent(world, channel.id, { body, files });
  open(world, record);
  const mentions = mentionsIn(
    world,
    { channel, authorId: bot.user.id },
    { content: content.content, allowed: body.allowed_mentions, replyTo: null },
  );
  const framed = frame(record, ephemeral);
  const kept = (body.flags ?? 0) & (FLAG.suppressEmbeds | FLAG.componentsV2);
  return post(world, channel, {
    author: bot.user,
    onlyFor: ephemeral ? record.user.id : null,
    interactionId: record.id,
    content: {
      ...framed,
      ...reference(record),
      ...content,
      flags: (framed.flags ?? 0) | kept,
      mentions: mentions.users,
      mention_roles: mentions.roles,
    },
  });
}

/** "… is thinking": the message a deferred answer will fill. */
export function postLoading({ world }: CallContext, record: InteractionRecord, ephemeral: boolean): StoredMessage {
  open(world, record);
  const framed = frame(record, ephemeral);
  return post(world, record.channel, {
    author: record.bot.user,
    onlyFor: ephemeral ? record.user.id : null,
    interactionId: record.id,
    content: { ...framed, ...reference(record), flags: (framed.flags ?? 0) | FLAG.loading },
  });
}
