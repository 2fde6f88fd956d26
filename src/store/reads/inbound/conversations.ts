import type { Selectable } from "kysely";
import type { Route } from "../../../core/delivery/delivery.ts";
import type { StoredAttachment } from "../../../core/message/transcript.ts";
import { asSessionKey, type SessionKey } from "../../../core/session/session-key.ts";
import { defineRead } from "../../store.ts";
import type { ConversationMessagesTable } from "../../tables/outside.ts";

export interface ConversationPlace {
  readonly channel: string;
  readonly accountId: string;
  readonly to: string;
  readonly threadId: string | null;
}

/** One account's conversations on an embedded platform, the most recently used first. */
export const conversationList = defineRead(
  "conversation-list",
  async (db, input: { readonly channel: string; readonly accountId: string }) => {
    const rows = await db
      .selectFrom("conversations")
      .selectAll()
      .where("channel", "=", input.channel)
      .where("account_id", "=", input.accountId)
      .orderBy("last_message_at", "desc")
      .orderBy("to_id")
      .orderBy("thread_id")
      .execute();
    return rows.map((row) => ({
      to: row.to_id,
      threadId: row.thread_id === "" ? null : row.thread_id,
      title: row.title,
      lastMessageAt: row.last_message_at,
    }));
  },
);

/** The sessions people talk with in a conversation of an embedded platform, and in its threads when it is a channel. */
export const sessionsInConversation = defineRead(
  "sessions-in-conversation",
  async (db, { channel, accountId, to, threadId }: ConversationPlace): Promise<readonly SessionKey[]> => {
    const rows = await db
      .selectFrom("sessions")
      .select(["key", "last_route_json"])
      .where("channel", "=", channel)
      // A sub-agent that is linked to a thread there goes on; only the link ends.
      .where("spawned_by", "is", null)
      .where("last_route_json", "is not", null)
      .execute();
    return rows.flatMap(({ key, last_route_json }) => {
      const route: Route | null = last_route_json === null ? null : JSON.parse(last_route_json);
      const isThere = route?.channel === channel && route.accountId === accountId && route.to === to;
      const session = isThere && (threadId === null || route.threadId === threadId) ? asSessionKey(key) : null;
      return session === null ? [] : [session];
    });
  },
);

/** A message of an embedded platform, as it is kept. */
export interface ConversationMessage {
  readonly id: number;
  readonly key: string;
  readonly to: string;
  readonly threadId: string | null;
  readonly author: "person" | "agent";
  readonly html: string;
  readonly text: string;
  readonly attachments: readonly StoredAttachment[];
  readonly createdAt: number;
  readonly editedAt: number | null;
}

/** The edge between the row and its type. */
export function conversationMessageFromRow(row: Selectable<ConversationMessagesTable>): ConversationMessage {
  return {
    id: row.id,
    key: row.key,
    to: row.to_id,
    threadId: row.thread_id === "" ? null : row.thread_id,
    author: row.author as ConversationMessage["author"],
    html: row.html,
    text: row.text,
    attachments: JSON.parse(row.attachments_json) as StoredAttachment[],
    createdAt: row.created_at,
    editedAt: row.edited_at,
  };
}

/** The newest messages of one conversation, oldest first. */
export const conversationTail = defineRead(
  "conversation-tail",
  async (
    db,
    input: ConversationPlace & { readonly limit: number; readonly before: number | null },
  ): Promise<readonly ConversationMessage[]> => {
    let query = db
      .selectFrom("conversation_messages")
      .selectAll()
      .where("channel", "=", input.channel)
      .where("account_id", "=", input.accountId)
      .where("to_id", "=", input.to)
      .where("thread_id", "=", input.threadId ?? "");
    if (input.before !== null) query = query.where("id", "<", input.before);
    const rows = await query.orderBy("id", "desc").limit(input.limit).execute();
    return rows.reverse().map(conversationMessageFromRow);
  },
);

export const conversationMessage = defineRead(
  "conversation-message",
  async (db, input: { readonly channel: string; readonly accountId: string; readonly id: number }) => {
    const row = await db
      .selectFrom("conversation_messages")
      .selectAll()
      .where("channel", "=", input.channel)
      .where("account_id", "=", input.accountId)
      .where("id", "=", input.id)
      .executeTakeFirst();
    return row === undefined ? null : conversationMessageFromRow(row);
  },
);

/** People's messages of one account after a time, oldest first: what start-up offers again (IN-14). */
export const conversationPeopleSince = defineRead(
  "conversation-people-since",
  async (
    db,
    input: { readonly channel: string; readonly accountId: string; readonly since: number; readonly limit: number },
  ): Promise<readonly ConversationMessage[]> => {
    const rows = await db
      .selectFrom("conversation_messages")
      .selectAll()
      .where("channel", "=", input.channel)
      .where("account_id", "=", input.accountId)
      .where("author", "=", "person")
      .where("created_at", ">", input.since)
      .orderBy("id")
      .limit(input.limit)
      .execute();
    return rows.map(conversationMessageFromRow);
  },
);
