import type { TelegramMessage } from "@gramio/types/objects";
import { Conversation, type Speaker } from "./conversation.ts";
import { changeMember } from "./membership.ts";
import { post } from "./messages.ts";
import { Place } from "./place.ts";
import type { ChatRecord, Member, TopicRecord } from "./records.ts";
import { deleteTopic, noteInTopic, openTopic } from "./topics.ts";
import type { World } from "./world.ts";

type Rights = Partial<Pick<Member, "canManageTopics" | "canDeleteMessages">>;

/** A basic group or a supergroup. */
export class Group extends Place {
  /** Whoever opens topics, adds and removes members: the group's creator. */
  readonly owner: Speaker;

  constructor(world: World, chat: ChatRecord, owner: Speaker) {
    super(world, chat, null);
    this.owner = owner;
  }

  /** A member in this group (in a forum: in General). */
  from(speaker: Speaker): Conversation {
    return new Conversation(this.world, this.chat, null, speaker);
  }

  /** Adds somebody, with the service message people see. */
  adds(speaker: Speaker): void {
    changeMember(this.world, this.chat, this.owner.user, { user: speaker.user, status: "member" });
    this.#note({ new_chat_members: [speaker.user] });
  }

  /** Removes somebody for good: a bot's sends are refused with 403 from now on. */
  kicks(speaker: Speaker): void {
    this.#note({ left_chat_member: speaker.user });
    changeMember(this.world, this.chat, this.owner.user, { user: speaker.user, status: "kicked" });
  }

  /** Makes somebody an administrator with all the rights the emulator knows, or the given ones. */
  promotes(speaker: Speaker, rights: Rights = {}): void {
    changeMember(this.world, this.chat, this.owner.user, { user: speaker.user, status: "administrator", ...rights });
  }

  demotes(speaker: Speaker): void {
    changeMember(this.world, this.chat, this.owner.user, { user: speaker.user, status: "member" });
  }

  #note(content: Pick<TelegramMessage, "new_chat_members" | "left_chat_member">): void {
    post(this.world, this.chat, { author: this.owner.user, content, topicId: null });
  }
}

/** A supergroup with topics. */
export class Forum extends Group {
  /** Opens a topic; people see the service message, bots get it as an update. */
  topic(name: string, by: Speaker = this.owner): Topic {
    return new Topic(this.world, this.chat, openTopic(this.world, this.chat, by.user, { name }), by);
  }

  /** An existing topic by its thread id, for example one a bot has opened. */
  inTopic(threadId: number): Topic {
    const topic = this.chat.topics.get(threadId);
    if (topic === undefined) throw new Error(`there is no topic ${threadId} in ${this.chat.chat.title ?? this.id}`);
    return new Topic(this.world, this.chat, topic, this.owner);
  }

  /** All topics that are not deleted, by whoever opened them. */
  topics(): Topic[] {
    return [...this.chat.topics.values()]
      .filter((topic) => topic.state !== "deleted")
      .map((topic) => new Topic(this.world, this.chat, topic, this.owner));
  }
}

/** One topic of a forum. */
export class Topic extends Place {
  readonly #topic: TopicRecord;
  readonly #owner: Speaker;

  constructor(world: World, chat: ChatRecord, topic: TopicRecord, owner: Speaker) {
    super(world, chat, topic.threadId);
    this.#topic = topic;
    this.#owner = owner;
  }

  get threadId(): number {
    return this.#topic.threadId;
  }

  get name(): string {
    return this.#topic.name;
  }

  get state(): TopicRecord["state"] {
    return this.#topic.state;
  }

  from(speaker: Speaker): Conversation {
    return new Conversation(this.world, this.chat, this.threadId, speaker);
  }

  closes(): void {
    this.#topic.state = "closed";
    noteInTopic(this.world, this.chat, this.#owner.user, this.#topic, { forum_topic_closed: {} });
  }

  reopens(): void {
    this.#topic.state = "open";
    noteInTopic(this.world, this.chat, this.#owner.user, this.#topic, { forum_topic_reopened: {} });
  }

  renames(name: string): void {
    this.#topic.name = name;
    noteInTopic(this.world, this.chat, this.#owner.user, this.#topic, { forum_topic_edited: { name } });
  }

  deletes(): void {
    deleteTopic(this.world, this.chat, this.#topic);
  }
}

/** A channel. Posts are written in its name. */
export class Channel extends Conversation {
  /** Posts as the channel. */
  posts(text: string, options: Parameters<Conversation["says"]>[1] = {}): TelegramMessage {
    return this.says(text, options);
  }
}

/**
 * Upgrades a basic group: the old chat gets `migrate_to_chat_id`, the new supergroup `migrate_from_chat_id`, members
 * move along, and every request to the old chat is refused with the new id.
 */
export function migrate(world: World, group: Group): Group {
  const { chat } = group;
  if (chat.kind !== "group") throw new Error("only a basic group can be upgraded");
  const upgraded = world.addChat("supergroup", { title: chat.chat.title ?? "" });
  for (const { user, ...rights } of chat.members.values()) world.setMember(upgraded, user, rights);
  const author = group.owner.user;
  post(world, chat, { author, content: { migrate_to_chat_id: upgraded.chat.id }, topicId: null });
  chat.migratedTo = upgraded.chat.id;
  post(world, upgraded, { author, content: { migrate_from_chat_id: chat.chat.id }, topicId: null });
  return new Group(world, upgraded, group.owner);
}
