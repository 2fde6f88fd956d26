import type { TelegramMessage } from "@gramio/types/objects";
import type { BotRecord, ChatRecord } from "./records.ts";

const SERVICE_FIELDS = [
  "new_chat_members",
  "left_chat_member",
  "new_chat_title",
  "group_chat_created",
  "supergroup_chat_created",
  "channel_chat_created",
  "migrate_to_chat_id",
  "migrate_from_chat_id",
  "forum_topic_created",
  "forum_topic_edited",
  "forum_topic_closed",
  "forum_topic_reopened",
] as const satisfies readonly (keyof TelegramMessage)[];

export function isServiceMessage(message: TelegramMessage): boolean {
  return SERVICE_FIELDS.some((field) => message[field] !== undefined);
}

function piece(message: TelegramMessage, entity: { offset: number; length: number }): string {
  return (message.text ?? message.caption ?? "").slice(entity.offset, entity.offset + entity.length);
}

function isMentioned(message: TelegramMessage, bot: BotRecord): boolean {
  const name = `@${bot.user.username ?? ""}`.toLowerCase();
  return (message.entities ?? message.caption_entities ?? []).some(
    (entity) =>
      (entity.type === "mention" && piece(message, entity).toLowerCase() === name) ||
      (entity.type === "text_mention" && entity.user?.id === bot.user.id),
  );
}

/** A command for this bot: named in it, or without a name unless another bot spoke last in the chat. */
function isCommandFor(message: TelegramMessage, bot: BotRecord, chat: ChatRecord): boolean {
  const name = (bot.user.username ?? "").toLowerCase();
  return (message.entities ?? []).some((entity) => {
    if (entity.type !== "bot_command") return false;
    const addressee = piece(message, entity).split("@")[1]?.toLowerCase();
    if (addressee !== undefined) return addressee === name;
    return (chat.lastBotSpeaker ?? bot.user.id) === bot.user.id;
  });
}

/**
 * Whether a bot gets an update about this message. In private chats and channels: always. In groups bots with
 * privacy mode off and administrators get everything; the others get commands, mentions, replies to them and
 * service messages. Messages of other bots arrive only where the bot was set up for that, its own never.
 */
export function isVisibleTo(bot: BotRecord, chat: ChatRecord, message: TelegramMessage): boolean {
  const member = chat.members.get(bot.user.id);
  if (member === undefined || member.status === "left" || member.status === "kicked") return false;
  if (message.from?.id === bot.user.id) return false;
  if (chat.kind === "private" || chat.kind === "channel") return true;
  if (isServiceMessage(message)) return true;
  if (message.from?.is_bot === true && !bot.facts.seesOtherBots) return false;
  if (bot.facts.canReadAllGroupMessages || member.status === "administrator") return true;
  return (
    message.reply_to_message?.from?.id === bot.user.id ||
    isCommandFor(message, bot, chat) ||
    (bot.facts.mentionsPassPrivacy && isMentioned(message, bot))
  );
}
