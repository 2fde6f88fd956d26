import { deleteChannel, tellChannel } from "./channels.ts";
import { Conversation, type SaysOptions, type Speaker } from "./conversation.ts";
import { mentionsIn } from "./mentions.ts";
import { post } from "./messages.ts";
import { type PermissionName, permissionBits } from "./permissions.ts";
import { type MessageRef, Place } from "./place.ts";
import type { ChannelRecord, RoleRecord } from "./records.ts";
import { joinThread, leaveThread, openThread, updateThread } from "./threads.ts";
import { CHANNEL } from "./wire-types.ts";
import type { World } from "./world.ts";

export interface NewChannel {
  /** The category it is in. */
  under?: { id: string };
  topic?: string;
  id?: string;
  /** Forums: names of tags. */
  tags?: string[];
  /** Forums: a post needs a tag. */
  requireTag?: boolean;
}

export interface NewThreadOptions {
  /** The message it hangs on. */
  from?: MessageRef;
  by?: Speaker;
  private?: boolean;
  autoArchiveDuration?: number;
}

function threadTypeIn(parent: ChannelRecord, isPrivate: boolean) {
  if (parent.type === CHANNEL.announcement) return CHANNEL.announcementThread;
  return isPrivate ? CHANNEL.privateThread : CHANNEL.publicThread;
}

/** A channel of a guild. */
export class Channel extends Place {
  readonly owner: Speaker;

  constructor(world: World, channel: ChannelRecord, owner: Speaker) {
    super(world, channel);
    this.owner = owner;
  }

  /** A member in this channel. */
  from(speaker: Speaker): Conversation {
    return new Conversation(this.world, this.channel, speaker);
  }

  /** Opens a thread; bots hear THREAD_CREATE. */
  thread(name: string, options: NewThreadOptions = {}): Thread {
    const by = options.by ?? this.owner;
    const thread = openThread(this.world, this.channel, {
      name,
      owner: by.user,
      type: threadTypeIn(this.channel, options.private === true),
      ...(options.from === undefined ? {} : { from: this.stored(options.from) }),
      ...(options.autoArchiveDuration === undefined ? {} : { autoArchiveDuration: options.autoArchiveDuration }),
    });
    return new Thread(this.world, thread, by);
  }

  /** An existing thread by its id, for example one a bot has opened. */
  inThread(id: string): Thread {
    const thread = this.world.channels.get(id);
    if (thread?.thread === null || thread === undefined || thread.parentId !== this.id) {
      throw new Error(`there is no thread ${id} in #${this.channel.name}`);
    }
    return new Thread(this.world, thread, this.owner);
  }

  /** All threads that are not deleted, by whoever opened them. */
  threads(): Thread[] {
    return [...this.world.channels.values()]
      .filter((thread) => thread.parentId === this.id && thread.thread !== null && !thread.deleted)
      .map((thread) => new Thread(this.world, thread, this.owner));
  }

  /** Takes permissions away here, from a member or a role (everyone: the guild's id). */
  denies(who: Speaker | RoleRecord, ...permissions: PermissionName[]): void {
    this.#overwrites(who, 0n, permissionBits(permissions));
  }

  /** Grants permissions here. */
  allows(who: Speaker | RoleRecord, ...permissions: PermissionName[]): void {
    this.#overwrites(who, permissionBits(permissions), 0n);
  }

  #overwrites(who: Speaker | RoleRecord, allow: bigint, deny: bigint): void {
    const id = "user" in who ? who.user.id : who.id;
    this.channel.overwrites.set(id, { id, type: "user" in who ? 1 : 0, allow, deny });
    tellChannel(this.world, this.channel, "CHANNEL_UPDATE");
  }

  renames(name: string): void {
    this.channel.name = name;
    tellChannel(this.world, this.channel, "CHANNEL_UPDATE");
  }

  /** Deletes the channel; bots hear CHANNEL_DELETE. */
  deletes(): void {
    deleteChannel(this.world, this.channel);
  }
}

/** A forum or media channel. */
export class Forum extends Channel {
  /** Writes a post: a thread whose first message has the thread's id. */
  post(title: string, text: string, options: SaysOptions & { by?: Speaker; tags?: string[] } = {}): Thread {
    const by = options.by ?? this.owner;
    const appliedTags = (options.tags ?? []).map((name) => {
      const tag = this.channel.tags.find((known) => known.name === name);
      if (tag === undefined) throw new Error(`there is no tag ${name}`);
      return tag.id;
    });
    const thread = openThread(this.world, this.channel, {
      name: title,
      owner: by.user,
      type: CHANNEL.publicThread,
      appliedTags,
    });
    const content = options.mention === undefined ? text : `<@${options.mention.user.id}> ${text}`;
    const mentions = mentionsIn(this.world, { channel: thread, authorId: by.user.id }, { content, replyTo: null });
    post(this.world, thread, { id: thread.id, author: by.user, content: { content, mentions: mentions.users } });
    return new Thread(this.world, thread, by);
  }
}

/** A thread, or a forum's post. */
export class Thread extends Place {
  readonly #owner: Speaker;

  constructor(world: World, channel: ChannelRecord, owner: Speaker) {
    super(world, channel);
    this.#owner = owner;
  }

  get name(): string {
    return this.channel.name;
  }

  /** Whether it is archived, locked; its members, its time to archive. */
  get facts(): NonNullable<ChannelRecord["thread"]> {
    if (this.channel.thread === null) throw new Error("this is no thread");
    return this.channel.thread;
  }

  from(speaker: Speaker): Conversation {
    return new Conversation(this.world, this.channel, speaker);
  }

  archives(): void {
    updateThread(this.world, this.channel, { archived: true });
  }

  reopens(): void {
    updateThread(this.world, this.channel, { archived: false });
  }

  /** Locks it, as moderators do: only they can write and open it. */
  locks(): void {
    updateThread(this.world, this.channel, { locked: true });
  }

  unlocks(): void {
    updateThread(this.world, this.channel, { locked: false });
  }

  renames(name: string): void {
    updateThread(this.world, this.channel, { name });
  }

  adds(speaker: Speaker): void {
    joinThread(this.world, this.channel, speaker.user);
  }

  removes(speaker: Speaker): void {
    leaveThread(this.world, this.channel, speaker.user.id);
  }

  /** Deletes it; bots hear THREAD_DELETE. */
  deletes(): void {
    deleteChannel(this.world, this.channel);
  }

  /** Who acts when nobody is named. */
  get owner(): Speaker {
    return this.#owner;
  }
}
