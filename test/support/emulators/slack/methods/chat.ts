import { edit, post, remove } from "../messages.ts";
import type { StoredMessage } from "../records.ts";
import { refused } from "../refusal.ts";
import { messageContent } from "./content.ts";
import type { CallContext, Handlers } from "./handler.ts";
import { destination, joinedConversation, knownConversation, messageAt, needScope, threadRoot } from "./place.ts";

type ChatMethods = "chat.delete" | "chat.getPermalink" | "chat.postEphemeral" | "chat.postMessage" | "chat.update";

/** Another name or picture than the app's own. */
function authorship(context: CallContext, args: { username?: unknown; icon_emoji?: unknown; icon_url?: unknown }) {
  const { username, icon_emoji, icon_url } = args;
  if (username === undefined && icon_emoji === undefined && icon_url === undefined) return {};
  needScope(context.app, "chat:write.customize");
  const icons = icon_emoji === undefined ? { image_48: icon_url } : { emoji: icon_emoji };
  return { username: typeof username === "string" ? username : context.app.name, icons };
}

function ownMessage(context: CallContext, stored: StoredMessage, error: string): void {
  if (stored.appId !== context.app.id) throw refused(error);
}

export const chatMethods: Handlers<ChatMethods> = {
  "chat.postMessage": (context, args) => {
    if (args.as_user === true) throw refused("as_user_not_supported");
    const conversation = destination(context, args.channel, args.thread_ts);
    const root = threadRoot(conversation, args.thread_ts);
    const content = { ...messageContent(context.world, args), ...authorship(context, args) };
    context.spendMessage(conversation);
    const stored = post(context.world, conversation, {
      author: context.app.user,
      content,
      threadTs: root?.message.ts ?? null,
      broadcast: root !== null && args.reply_broadcast === true,
    });
    return { channel: conversation.id, ts: stored.message.ts, message: structuredClone(stored.message) };
  },

  "chat.update": (context, args) => {
    const conversation = knownConversation(context, args.channel);
    if (conversation.archived) throw refused("is_archived");
    const stored = messageAt(conversation, args.ts);
    ownMessage(context, stored, "cant_update_message");
    if (stored.message.streaming_state === "in_progress") throw refused("streaming_state_conflict");
    const content = messageContent(context.world, args, "update");
    // Blocks, attachments and metadata that are not given stay as they are; an empty list takes them away.
    const emptied = {
      ...(args.blocks?.length === 0 ? { blocks: [] } : {}),
      ...(args.attachments?.length === 0 ? { attachments: [] } : {}),
    };
    edit(context.world, conversation, stored, { content: { ...emptied, ...content }, editor: context.app.user.id });
    return {
      channel: conversation.id,
      ts: args.ts,
      text: stored.message.text,
      message: structuredClone(stored.message),
    };
  },

  "chat.delete": (context, args) => {
    const conversation = knownConversation(context, args.channel);
    const stored = messageAt(conversation, args.ts);
    ownMessage(context, stored, "cant_delete_message");
    remove(context.world, conversation, stored);
    return { channel: conversation.id, ts: args.ts };
  },

  "chat.postEphemeral": (context, args) => {
    const conversation = destination(context, args.channel);
    if (!conversation.members.has(context.app.user.id)) throw refused("not_in_channel");
    if (!conversation.members.has(args.user)) throw refused("user_not_in_channel");
    const root = threadRoot(conversation, args.thread_ts);
    const content = { ...messageContent(context.world, args), ...authorship(context, args) };
    const ts = context.world.nextTs();
    conversation.ephemerals.push({
      seq: context.world.nextSeq(),
      ts,
      offered: new Map(),
      userId: args.user,
      appId: context.app.id,
      threadTs: root?.message.ts ?? null,
      text: content.text,
      blocks: content.blocks ?? [],
    });
    context.world.signals.changed();
    return { message_ts: ts };
  },

  "chat.getPermalink": (context, args) => {
    const conversation = joinedConversation(context, args.channel);
    const { message } = messageAt(conversation, args.message_ts);
    const at = `https://${context.app.team.domain}.slack.com/archives/${conversation.id}/p${message.ts.replace(".", "")}`;
    const inThread = message.thread_ts === undefined || message.thread_ts === message.ts;
    const permalink = inThread ? at : `${at}?thread_ts=${message.thread_ts}&cid=${conversation.id}`;
    return { channel: conversation.id, permalink };
  },
};
