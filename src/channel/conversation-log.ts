import type { Route } from "../core/delivery/route.ts";
import type { StoredAttachment } from "../core/message/transcript.ts";

/** A message of a platform whose messages Switchyard itself keeps (the web page). */
export interface LoggedMessage {
  readonly id: number;
  /** Unique in the account: a repeated append with the same key changes nothing and returns the first message. */
  readonly key: string;
  readonly route: Route;
  readonly author: "person" | "agent";
  readonly html: string;
  readonly text: string;
  readonly attachments: readonly StoredAttachment[];
  readonly createdAt: number;
  readonly editedAt: number | null;
}

export interface LoggedConversation {
  readonly to: string;
  readonly threadId: string | null;
  readonly title: string;
  readonly lastMessageAt: number;
}

export type NewLoggedMessage = Pick<LoggedMessage, "key" | "route" | "author" | "html" | "text" | "attachments">;

/** The message store of an embedded platform, kept by the bridge's store. Every call is committed when it resolves. */
export interface ConversationLog {
  /** null: the conversation was never opened. */
  append(message: NewLoggedMessage): Promise<{ readonly message: LoggedMessage; readonly isNew: boolean } | null>;
  /** null: there is no such message any more. */
  edit(id: number, content: Pick<LoggedMessage, "html" | "text">): Promise<LoggedMessage | null>;
  remove(id: number): Promise<void>;
  get(id: number): Promise<LoggedMessage | null>;
  /** The newest `limit` messages of one conversation, oldest first; `before`: only those with a smaller id. */
  tail(route: Route, limit: number, before?: number): Promise<readonly LoggedMessage[]>;
  /** Opening twice keeps the first title. */
  open(conversation: { readonly to: string; readonly threadId: string | null; readonly title: string }): Promise<void>;
  find(to: string, threadId: string | null): Promise<LoggedConversation | null>;
  list(): Promise<readonly LoggedConversation[]>;
  /** People's messages after `since`, oldest first: what start-up offers again (IN-14). */
  peopleSince(since: number, limit: number): Promise<readonly LoggedMessage[]>;
}
