import { maySee } from "../audience.ts";
import type { ChannelRecord } from "../records.ts";
import { badRequest, invalidForm, notFound } from "../refusal.ts";
import { channelShape, threadMemberShape } from "../shapes.ts";
import { joinThread, leaveThread, openThread } from "../threads.ts";
import { CHANNEL, MESSAGE_TYPE } from "../wire-types.ts";
import { channelFor, idIn, may, messageFor, needs, needsActive } from "./destination.ts";
import type { BotContext, BotHandlers, CreateThreadBody } from "./handler.ts";
import { postAsBot, viewFor } from "./sending.ts";

function settings(body: CreateThreadBody) {
  return {
    name: body.name,
    ...(typeof body.auto_archive_duration === "number" ? { autoArchiveDuration: body.auto_archive_duration } : {}),
    ...(typeof body.rate_limit_per_user === "number" ? { slowmode: body.rate_limit_per_user } : {}),
    ...(typeof body.invitable === "boolean" ? { invitable: body.invitable } : {}),
  };
}

function createPost(context: BotContext, forum: ChannelRecord, body: CreateThreadBody): object {
  const { world, bot } = context;
  needs(context, forum, "SendMessages");
  if (body.message === undefined) {
    throw invalidForm({ path: ["message"], code: "BASE_TYPE_REQUIRED", message: "This field is required" });
  }
  const tags = body.applied_tags ?? [];
  if (forum.requireTag && tags.length === 0) {
    throw badRequest(40067, "A tag is required to create a forum post in this channel");
  }
  if (tags.some((id) => !forum.tags.some((tag) => tag.id === id))) throw badRequest(10087, "Unknown tag");
  const post = openThread(world, forum, {
    ...settings(body),
    owner: bot.user,
    type: CHANNEL.publicThread,
    appliedTags: tags,
  });
  const message = postAsBot(context, post, body.message, null, post.id);
  return { ...channelShape(post, bot), message: viewFor(context, post, message) };
}

function threadType(parent: ChannelRecord, wanted: number | null | undefined) {
  if (parent.type === CHANNEL.announcement) return CHANNEL.announcementThread;
  if (parent.type !== CHANNEL.text) throw badRequest(50024, "Cannot execute action on this channel type");
  // Start Thread without Message: "defaults to PRIVATE_THREAD" in this version of the API.
  return (wanted ?? CHANNEL.privateThread) === CHANNEL.publicThread ? CHANNEL.publicThread : CHANNEL.privateThread;
}

function threadFor(context: BotContext): ChannelRecord {
  const channel = channelFor(context);
  if (channel.thread === null) throw badRequest(50024, "Cannot execute action on this channel type");
  return channel;
}

function archived(context: BotContext, types: readonly number[]): object {
  const { world, bot } = context;
  const parent = channelFor(context);
  const limit = Number(context.query.get("limit") ?? "50");
  const before = context.query.get("before");
  const threads = [...world.channels.values()]
    .filter((t) => t.parentId === parent.id && t.thread?.archived === true && !t.deleted && types.includes(t.type))
    .filter((t) => maySee(world, t, bot.user.id) && (before === null || (t.thread?.archiveTimestamp ?? "") < before))
    .sort((a, b) => (b.thread?.archiveTimestamp ?? "").localeCompare(a.thread?.archiveTimestamp ?? ""));
  const page = threads.slice(0, limit);
  return {
    threads: page.map((thread) => channelShape(thread, bot)),
    members: page.flatMap((thread) => threadMemberShape(thread, bot.user.id) ?? []),
    has_more: threads.length > page.length,
  };
}

export const threadRoutes: BotHandlers<
  | "create_thread"
  | "create_thread_from_message"
  | "join_thread"
  | "leave_thread"
  | "add_thread_member"
  | "delete_thread_member"
  | "list_thread_members"
  | "list_public_archived_threads"
  | "list_private_archived_threads"
> = {
  create_thread: (context, body) => {
    const parent = channelFor(context);
    if (parent.type === CHANNEL.forum || parent.type === CHANNEL.media) return createPost(context, parent, body);
    const type = threadType(parent, body.type);
    needs(context, parent, type === CHANNEL.privateThread ? "CreatePrivateThreads" : "CreatePublicThreads");
    const thread = openThread(context.world, parent, { ...settings(body), owner: context.bot.user, type });
    return channelShape(thread, context.bot);
  },

  create_thread_from_message: (context, body) => {
    const { world, bot } = context;
    const parent = channelFor(context);
    const type = threadType(parent, CHANNEL.publicThread);
    const from = messageFor(context, parent);
    needs(context, parent, "CreatePublicThreads");
    if (from.message.type === MESSAGE_TYPE.threadCreated) throw badRequest(50068, "Invalid message type");
    const existing = world.channels.get(from.message.id);
    if (existing !== undefined && !existing.deleted) {
      throw badRequest(160004, "A thread has already been created for this message");
    }
    return channelShape(openThread(world, parent, { ...settings(body), owner: bot.user, type, from }), bot);
  },

  join_thread: (context) => {
    const thread = threadFor(context);
    needsActive(thread);
    joinThread(context.world, thread, context.bot.user);
    return undefined;
  },

  leave_thread: (context) => {
    const thread = threadFor(context);
    needsActive(thread);
    leaveThread(context.world, thread, context.bot.user.id);
    return undefined;
  },

  add_thread_member: (context) => {
    const thread = threadFor(context);
    needsActive(thread);
    needs(context, thread, "SendMessagesInThreads");
    const user = context.world.users.get(idIn(context, "user_id"));
    if (user === undefined) throw notFound(10013, "Unknown User");
    joinThread(context.world, thread, user);
    return undefined;
  },

  delete_thread_member: (context) => {
    const thread = threadFor(context);
    needsActive(thread);
    const owns = thread.thread?.ownerId === context.bot.user.id && thread.type === CHANNEL.privateThread;
    if (!owns && !may(context, thread, "ManageThreads")) needs(context, thread, "ManageThreads");
    leaveThread(context.world, thread, idIn(context, "user_id"));
    return undefined;
  },

  list_thread_members: (context) => {
    const thread = threadFor(context);
    return [...(thread.thread?.members.keys() ?? [])].flatMap((id) => threadMemberShape(thread, id) ?? []);
  },

  list_public_archived_threads: (context) => archived(context, [CHANNEL.publicThread, CHANNEL.announcementThread]),

  list_private_archived_threads: (context) => {
    needs(context, channelFor(context), "ManageThreads", "ReadMessageHistory");
    return archived(context, [CHANNEL.privateThread]);
  },
};
