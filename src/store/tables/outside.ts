import type { Generated } from "kysely";

/* What leaves, and what is kept of accounts and people. Times are milliseconds since the epoch, flags are 0 or 1, `*_json` columns are JSON text. */

export interface DeliveriesTable {
  id: Generated<number>;
  key: string;
  conversation: string;
  channel: string;
  account_id: string;
  route_json: string;
  content_json: string;
  state: string;
  revision: number;
  /** The revision the last claim carried. */
  claimed_revision: number;
  /** 1: a streaming preview whose turn has not set its final content yet (TN-11). */
  preview: number;
  message_ids_json: string;
  attempts: number;
  next_at: number;
  reason: string | null;
  session_key: string | null;
  turn_id: string | null;
  run_id: string | null;
  created_at: number;
  claimed_at: number | null;
  settled_at: number | null;
}

/** The outcome of each try when a delivery needed more than one (DL-16). */
export interface DeliveryActsTable {
  id: Generated<number>;
  delivery_id: number;
  act: string;
  started_at: number | null;
  at: number;
  reason: string | null;
  message_ids_json: string;
  read_back: string | null;
  what: string;
  folded: number;
}

export interface PairingRequestsTable {
  channel: string;
  account_id: string;
  sender_id: string;
  sender_name: string;
  code: string;
  created_at: number;
  expires_at: number;
  /** A `Waiting`; null: asked before this was kept. */
  waiting_json: string | null;
}

export interface PairedSendersTable {
  channel: string;
  account_id: string;
  sender_id: string;
  owner: number;
  /** 1: an owner put them on the list (CM-14), which counts under `allowlist` too. */
  listed: number;
  approved_at: number;
}

export interface AccountStateTable {
  channel: string;
  account_id: string;
  name: string;
  value: string;
}

/** Messages of the embedded platform, the web page. */
export interface ConversationMessagesTable {
  id: Generated<number>;
  key: string;
  channel: string;
  account_id: string;
  to_id: string;
  thread_id: string;
  author: string;
  html: string;
  text: string;
  attachments_json: string;
  created_at: number;
  edited_at: number | null;
}

export interface ConversationsTable {
  channel: string;
  account_id: string;
  to_id: string;
  thread_id: string;
  title: string;
  last_message_at: number;
}

/** The operator's view of what went wrong (TN-16). */
export interface FailuresTable {
  id: Generated<number>;
  kind: string;
  subject: string;
  session_key: string | null;
  message: string;
  at: number;
}
