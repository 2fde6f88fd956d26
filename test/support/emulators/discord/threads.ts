import { botsSeeing } from "./audience.ts";
import { tell } from "./gateway/events.ts";
import { change, post } from "./messages.ts";
import type { BotRecord, ChannelRecord, StoredMessage } from "./records.ts";
import { channelShape, memberShape, threadMemberShape } from "./shapes.ts";
import { type APIMessage, type APIUser, CHANNEL, FLAG, INTENT, MESSAGE_TYPE } from "./wire-types.ts";
import type { World } from "./world.ts";

export interface NewThread {
  name: string;
  owner: APIUser;
  type: typeof CHANNEL.publicThread | typeof CHANNEL.privateThread | typeof CHANNEL.announcementThread;
  /** The message it hangs on; its id becomes the thread's. */
  from?: StoredMessage;
  autoArchiveDuration?: number;
  slowmode?: number;
  invitable?: boolean;
  appliedTags?: string[];
}

function tellThread(
  world: World,
  thread: ChannelRecord,
  t: "THREAD_CREATE" | "THREAD_UPDATE",
  more: Record<string, unknown> = {},
  bots: Iterable<BotRecord> = botsSeeing(world, thread),
): void {
  tell(bots, {
    t,
    intents: INTENT.guilds,
    guildId: thread.guildId,
    data: (session) => ({ ...channelShape(thread, session.bot), ...more }),
  });
}

/** Makes a thread with its owner as first member; bots that see it hear THREAD_CREATE. */
export function openThread(world: World, parent: ChannelRecord, given: NewThread): ChannelRecord {
  const guild = world.guildOf(parent);
  const thread = world.addChannel({
    type: given.type,
    name: given.name,
    guild,
    parentId: parent.id,
    ...(given.from === undefined ? {} : { id: given.from.message.id }),
  });
  thread.slowmode = given.slowmode ?? 0;
  thread.thread = {
    ownerId: given.owner.id,
    archived: false,
    locked: false,
    invitable: given.invitable ?? true,
    autoArchiveDuration: given.autoArchiveDuration ?? 4320,
    archiveTimestamp: world.now(),
    createdAt: world.now(),
    members: new Map([[given.owner.id, world.now()]]),
    appliedTags: given.appliedTags ?? [],
    totalMessages: 0,
  };
  tellThread(world, thread, "THREAD_CREATE", { newly_created: true });
  if (given.from !== undefined) markAsStart(world, parent, given.from, thread);
  else if (given.type !== CHANNEL.privateThread && parent.type !== CHANNEL.forum && parent.type !== CHANNEL.media) {
    announce(world, parent, thread, given.owner);
  }
  world.signals.changed();
  return thread;
}

/** The message gets the thread's mark; the thread begins with a message that refers to it (FC-134). */
function markAsStart(world: World, parent: ChannelRecord, from: StoredMessage, thread: ChannelRecord): void {
  const owner = world.users.get(thread.thread?.ownerId ?? "");
  const flags = (from.message.flags ?? 0) | FLAG.hasThread;
  // The published type names channel kinds one by one; the shape is the same.
  const asChannel = channelShape(thread) as unknown as NonNullable<APIMessage["thread"]>;
  change(world, parent, from, { flags, thread: asChannel }, true);
  if (owner === undefined) return;
  post(world, thread, {
    author: owner,
    content: {
      type: MESSAGE_TYPE.threadStarter,
      message_reference: referenceTo(parent, from.message.id),
    },
  });
}

function announce(world: World, parent: ChannelRecord, thread: ChannelRecord, owner: APIUser): void {
  post(world, parent, {
    author: owner,
    content: {
      type: MESSAGE_TYPE.threadCreated,
      content: thread.name,
      message_reference: referenceTo(thread, undefined),
    },
  });
}

/** A reference to a message, or to a channel alone. */
export function referenceTo(
  channel: ChannelRecord,
  messageId: string | undefined,
): NonNullable<APIMessage["message_reference"]> {
  return {
    type: 0,
    channel_id: channel.id,
    ...(messageId === undefined ? {} : { message_id: messageId }),
    ...(channel.guildId === null ? {} : { guild_id: channel.guildId }),
  };
}

/** Changes a thread's facts; bots that see it hear THREAD_UPDATE. */
export function updateThread(
  world: World,
  thread: ChannelRecord,
  to: Partial<NonNullable<ChannelRecord["thread"]>> & { name?: string; slowmode?: number },
): void {
  const { name, slowmode, ...facts } = to;
  if (thread.thread === null) throw new Error(`${thread.id} is no thread`);
  const archives = facts.archived !== undefined && facts.archived !== thread.thread.archived;
  Object.assign(thread.thread, facts, archives ? { archiveTimestamp: world.now() } : {});
  if (name !== undefined) thread.name = name;
  if (slowmode !== undefined) thread.slowmode = slowmode;
  tellThread(world, thread, "THREAD_UPDATE");
  world.signals.changed();
}

/** Writing into an archived thread opens it, unless a moderator has locked it. */
export function reopenByWriting(world: World, channel: ChannelRecord): void {
  if (channel.thread?.archived === true && !channel.thread.locked) updateThread(world, channel, { archived: false });
}

/** Adds somebody to a thread; who becomes able to see it hears THREAD_CREATE first. */
export function joinThread(world: World, thread: ChannelRecord, user: APIUser): void {
  const { thread: facts } = thread;
  if (facts === null || facts.members.has(user.id)) return;
  const before = new Set(botsSeeing(world, thread));
  facts.members.set(user.id, world.now());
  const arrived = botsSeeing(world, thread).filter((bot) => !before.has(bot));
  tellThread(world, thread, "THREAD_CREATE", {}, arrived);
  tellMembers(world, thread, { added: user.id });
}

export function leaveThread(world: World, thread: ChannelRecord, userId: string): void {
  const seeing = botsSeeing(world, thread);
  if (thread.thread?.members.delete(userId) !== true) return;
  tellMembers(world, thread, { removed: userId }, seeing);
}

/** THREAD_MEMBERS_UPDATE: for everybody's changes with GUILD_MEMBERS, for its own with GUILDS. */
function tellMembers(
  world: World,
  thread: ChannelRecord,
  who: { added?: string; removed?: string },
  bots: BotRecord[] = botsSeeing(world, thread),
): void {
  const added = who.added === undefined ? null : threadMemberShape(thread, who.added);
  const member = world.guildOf(thread)?.members.get(who.added ?? "");
  const about = who.added ?? who.removed;
  tell(bots, {
    t: "THREAD_MEMBERS_UPDATE",
    intents: INTENT.guilds | INTENT.guildMembers,
    guildId: thread.guildId,
    data: (session) => {
      const own = about === session.bot.user.id;
      if (!own && (session.intents & INTENT.guildMembers) === 0) return undefined;
      return {
        id: thread.id,
        guild_id: thread.guildId,
        member_count: thread.thread?.members.size ?? 0,
        ...(added === null
          ? {}
          : {
              added_members: [{ ...added, member: member === undefined ? null : memberShape(member), presence: null }],
            }),
        ...(who.removed === undefined ? {} : { removed_member_ids: [who.removed] }),
      };
    },
  });
  world.signals.changed();
}
