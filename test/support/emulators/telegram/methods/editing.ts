import type { TelegramMessage } from "@gramio/types/objects";
import { asCaption, asText, captionText, messageText, type WrittenContent } from "../formatted-text.ts";
import { edit, remove, withoutWriting } from "../messages.ts";
import type { ChatRecord, StoredMessage } from "../records.ts";
import { badRequest } from "../refusal.ts";
import type { CallContext, Handlers } from "./handler.ts";
import { type InlineMarkup, inlineMarkup } from "./markup.ts";

const TWO_DAYS = 48 * 3600;

interface EditTarget {
  chat: ChatRecord;
  stored: StoredMessage;
}

function targetOf(
  context: CallContext,
  params: { chat_id?: number | string; message_id?: number; inline_message_id?: string },
): EditTarget {
  if (params.inline_message_id !== undefined) throw badRequest("MESSAGE_ID_INVALID");
  if (params.chat_id === undefined) throw badRequest("chat_id is empty");
  if (params.message_id === undefined) throw badRequest("message identifier is not specified");
  const chat = context.world.chatFor(context.bot, params.chat_id);
  const stored = chat.messages.get(params.message_id);
  if (stored === undefined || stored.deleted) throw badRequest("message to edit not found");
  if (stored.authorId !== context.bot.user.id) throw badRequest("message can't be edited");
  return { chat, stored };
}

/** Edits an own message; `content` null keeps text or caption. A keyboard that is not sent again is removed. */
function applyEdit(
  context: CallContext,
  { chat, stored }: EditTarget,
  content: WrittenContent | null,
  markup: InlineMarkup | undefined,
): TelegramMessage {
  const before = stored.message;
  const { reply_markup: _, ...kept } = content === null ? before : withoutWriting(before);
  const after: TelegramMessage = { ...kept, ...content, ...(markup === undefined ? {} : { reply_markup: markup }) };
  const shown = (m: TelegramMessage): string =>
    JSON.stringify([m.text, m.entities ?? [], m.caption, m.caption_entities ?? [], m.reply_markup ?? null]);
  if (shown(before) === shown(after)) {
    throw badRequest(
      "message is not modified: specified new message content and reply markup are exactly the same as a current " +
        "content and reply markup of the message",
    );
  }
  context.spend(chat, 1);
  edit(context.world, chat, stored, after);
  return stored.message;
}

function mayDelete(context: CallContext, chat: ChatRecord, stored: StoredMessage): boolean {
  const { message } = stored;
  if (message.forum_topic_created !== undefined || message.supergroup_chat_created !== undefined) return false;
  const rights = chat.members.get(context.bot.user.id)?.canDeleteMessages === true;
  if (rights && chat.kind !== "private") return true;
  if (context.world.seconds() - message.date > TWO_DAYS) return false;
  return chat.kind === "private" || stored.authorId === context.bot.user.id;
}

export const editingMethods: Handlers<
  "editMessageText" | "editMessageCaption" | "editMessageReplyMarkup" | "deleteMessage" | "deleteMessages"
> = {
  editMessageText: (context, params) => {
    const target = targetOf(context, params);
    if (params.text === undefined) throw badRequest("message text is empty");
    const written = messageText(params.text, params.parse_mode, params.entities);
    if (target.stored.message.text === undefined) throw badRequest("there is no text in the message to edit");
    return applyEdit(context, target, asText(written), inlineMarkup(params.reply_markup));
  },

  editMessageCaption: (context, params) => {
    const target = targetOf(context, params);
    if (target.stored.message.text !== undefined) throw badRequest("there is no caption in the message to edit");
    const caption = captionText(params.caption, params.parse_mode, params.caption_entities);
    return applyEdit(context, target, asCaption(caption), inlineMarkup(params.reply_markup));
  },

  editMessageReplyMarkup: (context, params) =>
    applyEdit(context, targetOf(context, params), null, inlineMarkup(params.reply_markup)),

  deleteMessage: (context, params) => {
    const chat = context.world.chatFor(context.bot, params.chat_id);
    const stored = chat.messages.get(params.message_id);
    if (stored === undefined || stored.deleted) throw badRequest("message to delete not found");
    if (!mayDelete(context, chat, stored)) throw badRequest("message can't be deleted");
    remove(context.world, stored);
    return true;
  },

  deleteMessages: (context, params) => {
    if (params.message_ids.length === 0 || params.message_ids.length > 100) {
      throw badRequest("message identifiers are not specified");
    }
    const chat = context.world.chatFor(context.bot, params.chat_id);
    for (const id of params.message_ids) {
      const stored = chat.messages.get(id);
      if (stored !== undefined && !stored.deleted && mayDelete(context, chat, stored)) remove(context.world, stored);
    }
    return true;
  },
};
