/**
 * The Bot API methods this emulator carries out. The schema generator reads this list, so a method is
 * validated as soon as it is implemented. Every other method gets an answer in the style of a 404.
 */
export const IMPLEMENTED_METHODS = [
  "getMe",
  "getUpdates",
  "setWebhook",
  "deleteWebhook",
  "getWebhookInfo",
  "setMyCommands",
  "getMyCommands",
  "deleteMyCommands",
  "sendMessage",
  "sendMessageDraft",
  "sendPhoto",
  "sendDocument",
  "sendMediaGroup",
  "sendChatAction",
  "editMessageText",
  "editMessageCaption",
  "editMessageReplyMarkup",
  "deleteMessage",
  "deleteMessages",
  "setMessageReaction",
  "answerCallbackQuery",
  "getFile",
  "getChat",
  "getChatMember",
  "getChatAdministrators",
  "getChatMemberCount",
  "leaveChat",
  "createForumTopic",
  "editForumTopic",
  "closeForumTopic",
  "reopenForumTopic",
  "deleteForumTopic",
] as const;

export type MethodName = (typeof IMPLEMENTED_METHODS)[number];
