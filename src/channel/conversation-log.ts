import type { Route } from "../core/route.ts";

/** A message of a platform whose messages Switchyard itself keeps (the web page). */
export interface LoggedMessage {
  readonly id: number;
  /** Unique: a repeated append with the same key changes nothing and returns the same id. */
  readonly key: string;
  readonly route: Route;
  readonly author: "person" | "agent";
  readonly html: string;
  readonly text: string;
  readonly createdAt: number;
  readonly editedAt: number | null;
}

export interface LoggedConversation {
  readonly to: string;
  readonly threadId: string | null;
  readonly title: string;
  readonly lastMessageAt: number;
}

/** The message store of an embedded platform, kept by the bridge's store. Every call is committed when it resolves. */
export interface ConversationLog {
  append(message: Pick<LoggedMessage, "key" | "route" | "author" | "html" | "text">): Promise<{ readonly id: number; readonly isNew: boolean }>;
  edit(id: number, content: Pick<LoggedMessage, "html" | "text">): Promise<void>;
  remove(id: number): Promise<void>;
  /** The newest `limit` messages of one conversation, oldest first. */
  tail(route: Route, limit: number): Promise<readonly LoggedMessage[]>;
  open(conversation: { readonly to: string; readonly threadId: string | null; readonly title: string }): Promise<void>;
  list(): Promise<readonly LoggedConversation[]>;
  /** People's messages after `since`, oldest first: what start-up offers again (IN-14). */
  peopleSince(since: number, limit: number): Promise<readonly LoggedMessage[]>;
}
