import type { ChatRecord, TopicRecord } from "../records.ts";
import { badRequest } from "../refusal.ts";
import { deleteTopic, noteInTopic, openTopic } from "../topics.ts";
import { hasTopics } from "./destination.ts";
import type { CallContext, Handlers } from "./handler.ts";

/** The chat of a topic method. Supergroups need a forum and the right to manage topics. */
function forumOf(context: CallContext, chatId: number | string, act: string): ChatRecord {
  const chat = context.world.chatFor(context.bot, chatId);
  if (!hasTopics(context, chat)) throw badRequest("the chat is not a forum");
  const member = chat.members.get(context.bot.user.id);
  if (chat.kind !== "private" && member?.canManageTopics !== true) {
    throw badRequest(`not enough rights to ${act} a topic`);
  }
  return chat;
}

function topicOf(chat: ChatRecord, threadId: number): TopicRecord {
  const topic = chat.topics.get(threadId);
  if (topic === undefined || topic.state === "deleted") throw badRequest("TOPIC_ID_INVALID");
  return topic;
}

function checkName(name: string): void {
  if (name === "") throw badRequest("TOPIC_TITLE_EMPTY");
  if (name.length > 128) throw badRequest("topic name is too long");
}

export const forumTopicMethods: Handlers<
  "createForumTopic" | "editForumTopic" | "closeForumTopic" | "reopenForumTopic" | "deleteForumTopic"
> = {
  createForumTopic: (context, params) => {
    const chat = forumOf(context, params.chat_id, "create");
    checkName(params.name);
    const topic = openTopic(context.world, chat, context.bot.user, {
      name: params.name,
      ...(params.icon_color === undefined ? {} : { iconColor: params.icon_color }),
      ...(params.icon_custom_emoji_id === undefined ? {} : { iconCustomEmojiId: params.icon_custom_emoji_id }),
    });
    return {
      message_thread_id: topic.threadId,
      name: topic.name,
      icon_color: topic.iconColor,
      ...(topic.iconCustomEmojiId === undefined ? {} : { icon_custom_emoji_id: topic.iconCustomEmojiId }),
    };
  },

  editForumTopic: (context, params) => {
    const chat = forumOf(context, params.chat_id, "edit");
    const topic = topicOf(chat, params.message_thread_id);
    const name = params.name ?? "";
    if (name !== "") checkName(name);
    const icon = params.icon_custom_emoji_id;
    if ((name === "" || name === topic.name) && (icon === undefined || icon === topic.iconCustomEmojiId)) {
      throw badRequest("TOPIC_NOT_MODIFIED");
    }
    if (name !== "") topic.name = name;
    if (icon !== undefined) topic.iconCustomEmojiId = icon;
    noteInTopic(context.world, chat, context.bot.user, topic, {
      forum_topic_edited: {
        ...(name === "" ? {} : { name }),
        ...(icon === undefined ? {} : { icon_custom_emoji_id: icon }),
      },
    });
    return true;
  },

  closeForumTopic: (context, params) => {
    const chat = forumOf(context, params.chat_id, "close");
    if (chat.kind === "private") throw badRequest("the chat is not a supergroup");
    const topic = topicOf(chat, params.message_thread_id);
    if (topic.state === "closed") throw badRequest("TOPIC_NOT_MODIFIED");
    topic.state = "closed";
    noteInTopic(context.world, chat, context.bot.user, topic, { forum_topic_closed: {} });
    return true;
  },

  reopenForumTopic: (context, params) => {
    const chat = forumOf(context, params.chat_id, "reopen");
    const topic = topicOf(chat, params.message_thread_id);
    if (topic.state === "open") throw badRequest("TOPIC_NOT_MODIFIED");
    topic.state = "open";
    noteInTopic(context.world, chat, context.bot.user, topic, { forum_topic_reopened: {} });
    return true;
  },

  deleteForumTopic: (context, params) => {
    const chat = forumOf(context, params.chat_id, "delete");
    deleteTopic(context.world, chat, topicOf(chat, params.message_thread_id));
    return true;
  },
};
