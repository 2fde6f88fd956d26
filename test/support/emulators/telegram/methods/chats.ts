import type { TelegramReactionType } from "@gramio/types/objects";
import { asChatMember, changeMember } from "../membership.ts";
import { badRequest } from "../refusal.ts";
import type { Handlers } from "./handler.ts";

export const chatMethods: Handlers<
  | "getChat"
  | "getChatMember"
  | "getChatAdministrators"
  | "getChatMemberCount"
  | "leaveChat"
  | "setMessageReaction"
  | "answerCallbackQuery"
> = {
  getChat: (context, params) => {
    const { chat } = context.world.chatFor(context.bot, params.chat_id);
    const gifts = {
      unlimited_gifts: false,
      limited_gifts: false,
      unique_gifts: false,
      premium_subscription: false,
      gifts_from_channels: false,
    };
    return { ...chat, accent_color_id: 0, max_reaction_count: 11, accepted_gift_types: gifts };
  },

  getChatMember: (context, params) => {
    const chat = context.world.chatFor(context.bot, params.chat_id);
    const member = chat.members.get(params.user_id);
    if (member !== undefined) return asChatMember(member);
    const user = context.world.users.get(params.user_id);
    if (user === undefined) throw badRequest("PARTICIPANT_ID_INVALID");
    return { status: "left", user };
  },

  getChatAdministrators: (context, params) => {
    const chat = context.world.chatFor(context.bot, params.chat_id);
    if (chat.kind === "private") throw badRequest("there are no administrators in the private chat");
    return [...chat.members.values()]
      .filter((member) => member.status === "administrator" || member.status === "creator")
      .map(asChatMember);
  },

  getChatMemberCount: (context, params) => {
    const chat = context.world.chatFor(context.bot, params.chat_id);
    return [...chat.members.values()].filter((member) => member.status !== "left" && member.status !== "kicked").length;
  },

  leaveChat: (context, params) => {
    const chat = context.world.chatFor(context.bot, params.chat_id);
    if (chat.kind === "private") throw badRequest("chat member status can't be changed in private chats");
    changeMember(context.world, chat, context.bot.user, { user: context.bot.user, status: "left" });
    return true;
  },

  setMessageReaction: (context, params) => {
    const chat = context.world.chatFor(context.bot, params.chat_id);
    const stored = chat.messages.get(params.message_id);
    if (stored === undefined || stored.deleted) throw badRequest("message to react not found");
    const reactions: TelegramReactionType[] = params.reaction ?? [];
    if (reactions.length > 1) throw badRequest("REACTIONS_TOO_MANY");
    if (reactions.some((reaction) => reaction.type === "paid")) throw badRequest("REACTION_INVALID");
    stored.reactions.set(context.bot.user.id, reactions);
    context.world.signals.changed();
    return true;
  },

  answerCallbackQuery: (context, params) => {
    const pressed = context.world.callbacks.get(params.callback_query_id);
    if (pressed === undefined || pressed.botId !== context.bot.user.id || pressed.answer !== null) {
      throw badRequest("query is too old and response timeout expired or query ID is invalid");
    }
    if ((params.text ?? "").length > 200) throw badRequest("MESSAGE_TOO_LONG");
    pressed.answer = {
      ...(params.text === undefined ? {} : { text: params.text }),
      ...(params.show_alert === undefined ? {} : { show_alert: params.show_alert }),
      ...(params.url === undefined ? {} : { url: params.url }),
    };
    context.world.signals.changed();
    return true;
  },
};
