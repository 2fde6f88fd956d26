import { FAMILIES } from "../events.ts";
import type { AppRecord, ConversationKind, ConversationRecord, StoredMessage } from "../records.ts";
import { Refusal, refused } from "../refusal.ts";
import type { World } from "../world.ts";
import type { CallContext } from "./handler.ts";

/** Refuses with `missing_scope` unless the app has one of the scopes. */
export function needScope(app: AppRecord, ...anyOf: string[]): void {
  if (anyOf.some((scope) => app.scopes.has(scope))) return;
  throw new Refusal("missing_scope", { extra: { needed: anyOf.join(","), provided: [...app.scopes].join(",") } });
}

/** Refuses unless the app has `<family>:<right>` for the conversation's kind. */
export function needFamilyScope(app: AppRecord, kind: ConversationKind, right: "read" | "history"): void {
  needScope(app, `${FAMILIES[kind]}:${right}`);
}

/** A conversation the app can know of, by its exact id. What it cannot see is not there. */
export function knownConversation({ world, app }: CallContext, id: string): ConversationRecord {
  const conversation = world.conversations.get(id);
  const isOpen = conversation?.kind === "channel" || conversation?.members.has(app.user.id) === true;
  if (conversation === undefined || conversation.team !== app.team || !isOpen || conversation.deleted) {
    throw refused("channel_not_found");
  }
  return conversation;
}

/** As `knownConversation`, and the app must be in it. */
export function joinedConversation(context: CallContext, id: string): ConversationRecord {
  const conversation = knownConversation(context, id);
  if (!conversation.members.has(context.app.user.id)) throw refused("not_in_channel");
  return conversation;
}

function isRestricted({ restriction }: ConversationRecord, threadTs: string | undefined): boolean {
  switch (restriction) {
    case null:
      return false;
    case "restricted_action_thread_only_channel":
      return threadTs === undefined;
    case "restricted_action_non_threadable_channel":
      return threadTs !== undefined;
    case "restricted_action":
    case "restricted_action_read_only_channel":
      return true;
  }
}

/** Where the app may post: a conversation by id, a public channel by name, or a person (their IM). */
export function destination(context: CallContext, channel: string, threadTs?: string): ConversationRecord {
  const { world, app } = context;
  const person = world.users.get(channel);
  if (person !== undefined) {
    if (person.team !== app.team || person.deleted || person.id === app.user.id) throw refused("channel_not_found");
    if (person.isBot) throw refused("cannot_dm_bot");
    return world.im(person, app.user);
  }
  const name = channel.startsWith("#") ? channel.slice(1) : null;
  const named = [...world.conversations.values()].find((c) => c.name === name && c.kind === "channel");
  const conversation = knownConversation(context, named?.id ?? channel);
  if (conversation.archived) throw refused("is_archived");
  if (!conversation.members.has(app.user.id) && !app.scopes.has("chat:write.public")) throw refused("not_in_channel");
  if (isRestricted(conversation, threadTs)) throw refused(conversation.restriction ?? "restricted_action");
  return conversation;
}

const TS = /^\d{10}\.\d{6}$/;

/** The root a reply hangs on. */
export function threadRoot(conversation: ConversationRecord, threadTs: string | undefined): StoredMessage | null {
  if (threadTs === undefined) return null;
  if (!TS.test(threadTs)) throw refused("invalid_thread_ts");
  const stored = conversation.messages.get(threadTs);
  if (stored === undefined || (stored.deleted && stored.message.subtype !== "tombstone"))
    throw refused("thread_not_found");
  const { thread_ts } = stored.message;
  if (thread_ts !== undefined && thread_ts !== threadTs) throw refused("cannot_reply_to_message");
  return stored;
}

/** A message that is there, by its ts. */
export function messageAt(conversation: ConversationRecord, ts: string, error = "message_not_found"): StoredMessage {
  const stored = conversation.messages.get(ts);
  if (stored === undefined || stored.deleted) throw refused(error);
  return stored;
}

/** One page of a list, by a cursor that names where it goes on. */
export function page<T>(
  list: readonly T[],
  args: { cursor?: unknown; limit?: unknown; most?: number },
  standard = 100,
) {
  const from = args.cursor === undefined || args.cursor === "" ? 0 : cursorOf(String(args.cursor));
  const limit = Math.min(args.most ?? 999, typeof args.limit === "number" && args.limit > 0 ? args.limit : standard);
  const next = from + limit < list.length ? Buffer.from(`from:${from + limit}`).toString("base64") : "";
  return { items: list.slice(from, from + limit), response_metadata: { next_cursor: next }, hasMore: next !== "" };
}

function cursorOf(cursor: string): number {
  const from = /^from:(\d+)$/.exec(Buffer.from(cursor, "base64").toString("utf8"))?.[1];
  if (from === undefined) throw refused("invalid_cursor");
  return Number(from);
}

export function userIn(world: World, app: AppRecord, id: string) {
  const user = world.users.get(id);
  if (user === undefined || user.team !== app.team) throw refused("user_not_found");
  return user;
}
