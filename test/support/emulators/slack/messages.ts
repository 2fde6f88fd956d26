import { announce, announceMessage, channelType, type MentionOrder } from "./events.ts";
import type { AppRecord, ConversationRecord, SlackMessage, StoredMessage, UserRecord } from "./records.ts";
import type { World } from "./world.ts";

export interface NewMessage {
  author: UserRecord;
  /** Text, blocks, files and whatever else the message shows. */
  content: Partial<SlackMessage> & { text: string };
  /** The root of the thread it answers in. */
  threadTs?: string | null;
  /** Shows a thread reply in the channel as well. */
  broadcast?: boolean;
  order?: MentionOrder;
  /** Nobody is told (a stream that has just begun). */
  quiet?: boolean;
}

function botFields(app: AppRecord, content: NewMessage["content"]): Partial<SlackMessage> {
  const profile = { id: app.botId, app_id: app.id, name: app.name, deleted: false, team_id: app.team.id, icons: {} };
  // A message under another name is shown as one of a bot, without a user.
  if (content.username !== undefined) return { subtype: "bot_message", bot_id: app.botId, app_id: app.id };
  return { user: app.user.id, bot_id: app.botId, app_id: app.id, bot_profile: profile };
}

/** Stores a message and tells the apps of the conversation. */
export function post(world: World, conversation: ConversationRecord, draft: NewMessage): StoredMessage {
  const { author, content } = draft;
  const ts = world.nextTs();
  const root =
    draft.threadTs === undefined || draft.threadTs === null ? undefined : rootOf(conversation, draft.threadTs);
  const message: SlackMessage = {
    type: "message",
    ...(author.app === null
      ? { user: author.id, client_msg_id: `00000000-0000-4000-8000-${String(world.count("client")).padStart(12, "0")}` }
      : botFields(author.app, content)),
    team: author.team.id,
    ...content,
    ts,
  };
  if (root !== undefined) {
    message.thread_ts = root.message.ts;
    const parent = root.message.user;
    if (parent !== undefined) message.parent_user_id = parent;
    if (draft.broadcast === true) {
      message.subtype = "thread_broadcast";
      message.root = structuredClone(root.message);
    }
    countReply(root.message, message);
  }
  const stored: StoredMessage = {
    seq: world.nextSeq(),
    at: world.clock(),
    message,
    authorId: author.id,
    appId: author.app?.id ?? null,
    deleted: false,
    earlier: [],
  };
  conversation.messages.set(ts, stored);
  if (draft.quiet !== true) announceMessage(world, conversation, message, draft.order);
  world.signals.changed();
  return stored;
}

function rootOf(conversation: ConversationRecord, threadTs: string): StoredMessage {
  const root = conversation.messages.get(threadTs);
  if (root === undefined) throw new Error(`there is no message ${threadTs} in ${conversation.id}`);
  return root;
}

function countReply(root: SlackMessage, reply: SlackMessage): void {
  const author = reply.user ?? reply.bot_id ?? "";
  root.thread_ts = root.ts;
  root.reply_users = [...new Set([...(root.reply_users ?? []), author])];
  root.reply_users_count = root.reply_users.length;
  root.reply_count = (root.reply_count ?? 0) + 1;
  root.latest_reply = reply.ts;
  root.is_locked = false;
}

/** Replaces a message's form and tells the apps (`message_changed`). */
export function change(world: World, conversation: ConversationRecord, stored: StoredMessage, to: SlackMessage): void {
  const before = stored.message;
  stored.earlier.push(structuredClone(before));
  stored.message = to;
  announceChange(world, conversation, before, to);
  world.signals.changed();
}

function announceChange(world: World, at: ConversationRecord, before: SlackMessage, after: SlackMessage): void {
  const ts = world.nextTs();
  const [message, previous_message] = [before, after].map(({ metadata: _hidden, ...shown }) => shown).reverse();
  announce(world, at, {
    type: "message",
    subtype: "message_changed",
    message,
    previous_message,
    channel: at.id,
    hidden: true,
    ts,
    event_ts: ts,
    channel_type: channelType(at.kind),
  });
}

/** Changes the text (and more) of a message, marked as edited by `editor`. */
export function edit(
  world: World,
  conversation: ConversationRecord,
  stored: StoredMessage,
  to: { content: Partial<SlackMessage>; editor: string },
): void {
  const edited = { user: to.editor, ts: `${world.seconds()}.000000` };
  change(world, conversation, stored, { ...stored.message, ...to.content, edited });
}

/** Deletes a message. A root with replies stays as a tombstone, as on the platform. */
export function remove(world: World, conversation: ConversationRecord, stored: StoredMessage): void {
  const { message } = stored;
  if ((message.reply_count ?? 0) > 0) {
    const { ts, thread_ts, reply_count, reply_users, reply_users_count, latest_reply } = message;
    const kept = { ts, thread_ts, reply_count, reply_users, reply_users_count, latest_reply };
    stored.earlier.push(structuredClone(message));
    stored.deleted = true;
    const tombstone = { type: "message", subtype: "tombstone", text: "This message was deleted.", user: "USLACKBOT" };
    stored.message = { ...tombstone, hidden: true, ...kept } as SlackMessage;
    announceChange(world, conversation, message, stored.message);
    world.signals.changed();
    return;
  }
  stored.deleted = true;
  uncountReply(conversation, message);
  const ts = world.nextTs();
  const { metadata: _hidden, ...previous } = message;
  announce(world, conversation, {
    type: "message",
    subtype: "message_deleted",
    previous_message: previous,
    channel: conversation.id,
    hidden: true,
    deleted_ts: message.ts,
    ts,
    event_ts: ts,
    channel_type: channelType(conversation.kind),
  });
  world.signals.changed();
}

function uncountReply(conversation: ConversationRecord, reply: SlackMessage): void {
  const root = reply.thread_ts === undefined ? undefined : conversation.messages.get(reply.thread_ts)?.message;
  if (root === undefined || root.ts === reply.ts) return;
  const left = repliesTo(conversation, root.ts).map((stored) => stored.message);
  const users = [...new Set(left.map((message) => message.user ?? message.bot_id ?? ""))];
  root.reply_count = left.length;
  root.reply_users = users;
  root.reply_users_count = users.length;
  const last = left.at(-1)?.ts;
  if (last === undefined) delete root.latest_reply;
  else root.latest_reply = last;
}

/** The replies of a thread that are there, oldest first. */
export function repliesTo(conversation: ConversationRecord, threadTs: string): StoredMessage[] {
  return [...conversation.messages.values()].filter(
    (stored) => !stored.deleted && stored.message.thread_ts === threadTs && stored.message.ts !== threadTs,
  );
}

/** What people see: in a thread (its root first), or outside of threads (broadcast replies included). */
export function visibleMessages(conversation: ConversationRecord, threadTs: string | null): StoredMessage[] {
  return [...conversation.messages.values()].filter(({ deleted, message }) => {
    if (deleted) return false;
    const isReply = message.thread_ts !== undefined && message.thread_ts !== message.ts;
    if (threadTs === null) return !isReply || message.subtype === "thread_broadcast";
    return message.ts === threadTs || message.thread_ts === threadTs;
  });
}
