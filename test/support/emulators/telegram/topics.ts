import type { TelegramMessage, TelegramUser } from "@gramio/types/objects";
import { post, remove } from "./messages.ts";
import type { ChatRecord, TopicRecord } from "./records.ts";
import type { World } from "./world.ts";

const DEFAULT_COLOR = 0x6fb9f0;

export interface NewTopic {
  name: string;
  iconColor?: number;
  iconCustomEmojiId?: string;
}

/** Opens a topic: its first message is the service message whose id is the topic's id. */
export function openTopic(world: World, chat: ChatRecord, author: TelegramUser, topic: NewTopic): TopicRecord {
  const iconColor = topic.iconColor ?? DEFAULT_COLOR;
  const icon = topic.iconCustomEmojiId === undefined ? {} : { icon_custom_emoji_id: topic.iconCustomEmojiId };
  const record: TopicRecord = {
    threadId: chat.nextMessageId,
    name: topic.name,
    iconColor,
    iconCustomEmojiId: topic.iconCustomEmojiId,
    state: "open",
  };
  chat.topics.set(record.threadId, record);
  const content = { forum_topic_created: { name: topic.name, icon_color: iconColor, ...icon } };
  post(world, chat, { author, content, topicId: null, opensTopic: true });
  return record;
}

/** Writes a service message about a topic into it. */
export function noteInTopic(
  world: World,
  chat: ChatRecord,
  author: TelegramUser,
  topic: TopicRecord,
  content: Pick<TelegramMessage, "forum_topic_edited" | "forum_topic_closed" | "forum_topic_reopened">,
): void {
  post(world, chat, { author, content, topicId: topic.threadId });
}

/** Deletes a topic with all its messages. No update tells of it. */
export function deleteTopic(world: World, chat: ChatRecord, topic: TopicRecord): void {
  topic.state = "deleted";
  for (const stored of chat.messages.values()) if (stored.topicId === topic.threadId) remove(world, stored);
}
