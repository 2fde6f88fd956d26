import { announce } from "../events.ts";
import { repliesTo, visibleMessages } from "../messages.ts";
import type { ConversationKind, ConversationRecord, SlackMessage, StoredMessage, UserRecord } from "../records.ts";
import { refused } from "../refusal.ts";
import type { CallContext, Handlers } from "./handler.ts";
import {
  joinedConversation,
  knownConversation,
  needFamilyScope,
  needScope,
  page,
  threadRoot,
  userIn,
} from "./place.ts";

type ConversationMethods =
  | "conversations.history"
  | "conversations.info"
  | "conversations.join"
  | "conversations.list"
  | "conversations.members"
  | "conversations.open"
  | "conversations.replies";

const KINDS: Record<string, ConversationKind> = {
  public_channel: "channel",
  private_channel: "private",
  im: "im",
  mpim: "mpim",
};

/** A conversation as the API shows it. */
export function conversationObject(context: CallContext, c: ConversationRecord): Record<string, unknown> {
  const { user } = context.app;
  const base = {
    id: c.id,
    created: c.created,
    is_archived: c.archived,
    is_im: c.kind === "im",
    is_org_shared: false,
    context_team_id: c.team.id,
    updated: c.created * 1000,
  };
  if (c.kind === "im") {
    return { ...base, user: [...c.members].find((id) => id !== user.id), is_user_deleted: false, priority: 0 };
  }
  return {
    ...base,
    name: c.name,
    name_normalized: c.name,
    is_channel: c.kind === "channel",
    is_group: c.kind === "private",
    is_mpim: c.kind === "mpim",
    is_private: c.kind !== "channel",
    is_general: false,
    is_shared: false,
    is_ext_shared: false,
    is_member: c.members.has(user.id),
    creator: c.creator,
    topic: { value: c.topic, creator: "", last_set: 0 },
    purpose: { value: "", creator: "", last_set: 0 },
  };
}

/** A message as history shows it: of metadata only the type, unless all of it is asked for. */
export function shown({ message }: StoredMessage, allMetadata: boolean): SlackMessage {
  const copy = structuredClone(message);
  if (copy.metadata !== undefined && !allMetadata)
    copy.metadata = { event_type: copy.metadata.event_type, event_payload: {} };
  return copy;
}

interface Span {
  oldest?: string | undefined;
  latest?: string | undefined;
  inclusive?: boolean | undefined;
}

function inSpan(ts: string, { oldest, latest, inclusive }: Span): boolean {
  const at = Number(ts);
  if (Number.isNaN(Number(oldest ?? 0))) throw refused("invalid_ts_oldest");
  if (Number.isNaN(Number(latest ?? 0))) throw refused("invalid_ts_latest");
  const from = Number(oldest ?? 0);
  const to = latest === undefined || latest === "0" ? Number.POSITIVE_INFINITY : Number(latest);
  return inclusive === true ? at >= from && at <= to : at > from && at < to;
}

function opened(context: CallContext, users: UserRecord[]): ConversationRecord {
  const { world, app } = context;
  const [first] = users;
  if (first !== undefined && users.length === 1) return world.im(first, app.user);
  const wanted = new Set([app.user.id, ...users.map((user) => user.id)]);
  for (const c of world.conversations.values()) {
    const same = c.members.size === wanted.size && [...wanted].every((id) => c.members.has(id));
    if (c.kind === "mpim" && same) return c;
  }
  const name = `mpdm-${[app.user, ...users].map((user) => user.name).join("--")}-1`;
  return world.addConversation("mpim", app.team, { name, members: [...wanted] });
}

export const conversationMethods: Handlers<ConversationMethods> = {
  "conversations.info": (context, args) => {
    const conversation = knownConversation(context, args.channel);
    needFamilyScope(context.app, conversation.kind, "read");
    const members = args.include_num_members === true ? { num_members: conversation.members.size } : {};
    return { channel: { ...conversationObject(context, conversation), ...members } };
  },

  "conversations.history": (context, args) => {
    const conversation = joinedConversation(context, args.channel);
    needFamilyScope(context.app, conversation.kind, "history");
    const all = [...conversation.messages.values()].filter(
      (stored) => !stored.deleted || stored.message.subtype === "tombstone",
    );
    const threads = new Set(visibleMessages(conversation, null));
    const list = all
      .filter((stored) => threads.has(stored) || stored.deleted)
      .filter((stored) => inSpan(stored.message.ts, args))
      .reverse();
    const { items, response_metadata, hasMore } = page(list, { ...args, most: context.world.mostPerPage });
    return {
      messages: items.map((stored) => shown(stored, args.include_all_metadata === true)),
      has_more: hasMore,
      pin_count: 0,
      response_metadata,
    };
  },

  "conversations.replies": (context, args) => {
    const conversation = joinedConversation(context, args.channel);
    needFamilyScope(context.app, conversation.kind, "history");
    const named = conversation.messages.get(args.ts)?.message.thread_ts ?? args.ts;
    const root = threadRoot(conversation, named);
    if (root === null) throw refused("thread_not_found");
    const replies = repliesTo(conversation, named).filter((stored) => inSpan(stored.message.ts, args));
    const { items, response_metadata, hasMore } = page(replies, { ...args, most: context.world.mostPerPage }, 1000);
    return {
      // The root heads every page.
      messages: [root, ...items].map((stored) => shown(stored, args.include_all_metadata === true)),
      has_more: hasMore,
      response_metadata,
    };
  },

  "conversations.list": (context, args) => {
    const { app, world } = context;
    const kinds = (args.types ?? "public_channel").split(",").map((type) => {
      const kind = KINDS[type.trim()];
      if (kind === undefined) throw refused("invalid_types");
      needFamilyScope(app, kind, "read");
      return kind;
    });
    const list = [...world.conversations.values()].filter(
      (c) =>
        kinds.includes(c.kind) &&
        c.team === app.team &&
        !c.deleted &&
        (c.kind === "channel" || c.members.has(app.user.id)) &&
        !(args.exclude_archived === true && c.archived),
    );
    const { items, response_metadata } = page(list, args);
    return { channels: items.map((c) => conversationObject(context, c)), response_metadata };
  },

  "conversations.members": (context, args) => {
    const conversation = knownConversation(context, args.channel);
    needFamilyScope(context.app, conversation.kind, "read");
    const { items, response_metadata } = page([...conversation.members], args);
    return { members: items, response_metadata };
  },

  "conversations.open": (context, args) => {
    const { app, world } = context;
    if (args.channel !== undefined) {
      const { id } = joinedConversation(context, args.channel);
      return { no_op: true, already_open: true, channel: { id } };
    }
    const ids = (args.users ?? "").split(",").filter((id) => id !== "");
    if (ids.length === 0) throw refused("users_list_not_supplied");
    if (ids.length > 8) throw refused("too_many_users");
    needScope(app, ids.length === 1 ? "im:write" : "mpim:write");
    const users = ids.map((id) => userIn(world, app, id));
    if (users.some((user) => user.isBot)) throw refused("cannot_dm_bot");
    const conversation = opened(context, users);
    if (args.return_im !== true) return { channel: { id: conversation.id } };
    return { channel: conversationObject(context, conversation) };
  },

  "conversations.join": (context, args) => {
    const conversation = knownConversation(context, args.channel);
    if (conversation.kind !== "channel") throw refused("method_not_supported_for_channel_type");
    if (conversation.archived) throw refused("is_archived");
    const { id } = context.app.user;
    if (!conversation.members.has(id)) {
      conversation.members.add(id);
      announce(context.world, conversation, {
        type: "member_joined_channel",
        user: id,
        channel: conversation.id,
        channel_type: "C",
        team: conversation.team.id,
        event_ts: context.world.nextTs(),
      });
    }
    return { channel: conversationObject(context, conversation) };
  },
};
