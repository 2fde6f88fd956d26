import type { TelegramMessage } from "@gramio/types/objects";
import { asText, messageText } from "../formatted-text.ts";
import { post } from "../messages.ts";
import { badRequest } from "../refusal.ts";
import { actionThread, type Destination, destination } from "./destination.ts";
import type { CallContext, Handlers } from "./handler.ts";
import { inlineMarkup } from "./markup.ts";

type Content = Parameters<typeof post>[2]["content"];

/** Posts as the bot; in a channel the channel itself is the author. */
export function postAsBot(context: CallContext, place: Destination, content: Content): TelegramMessage {
  const author = place.chat.kind === "channel" ? null : context.bot.user;
  const stored = post(context.world, place.chat, { author, content, topicId: place.topicId, replyTo: place.replyTo });
  stored.authorId = context.bot.user.id;
  return stored.message;
}

export const sendingMethods: Handlers<"sendMessage" | "sendMessageDraft" | "sendChatAction"> = {
  sendMessage: (context, params) => {
    const place = destination(context, params);
    const written = messageText(params.text, params.parse_mode, params.entities);
    const markup = inlineMarkup(params.reply_markup);
    context.spend(place.chat, 1);
    return postAsBot(context, place, {
      ...asText(written),
      ...(markup === undefined ? {} : { reply_markup: markup }),
      ...(params.link_preview_options === undefined ? {} : { link_preview_options: params.link_preview_options }),
    });
  },

  sendMessageDraft: (context, params) => {
    const { chat, threadId } = actionThread(context, params);
    if (chat.kind !== "private") throw badRequest("message drafts can be sent only to private chats");
    if (params.draft_id === 0) throw badRequest("draft_id must be non-zero");
    const text =
      params.text === undefined || params.text === ""
        ? ""
        : messageText(params.text, params.parse_mode, params.entities).text;
    chat.drafts.push({
      seq: context.world.nextSeq(),
      at: context.world.clock(),
      botId: context.bot.user.id,
      draftId: params.draft_id,
      threadId,
      text,
    });
    context.world.signals.changed();
    return true;
  },

  sendChatAction: (context, params) => {
    const { chat, threadId } = actionThread(context, params);
    chat.actions.push({
      seq: context.world.nextSeq(),
      at: context.world.clock(),
      botId: context.bot.user.id,
      action: params.action,
      threadId,
    });
    context.world.signals.changed();
    return true;
  },
};
