import type { Generated } from "kysely";

/** Rows as the database holds them. Times are milliseconds since the epoch, flags are 0 or 1, `*_json` columns are JSON text. */
export interface Schema {
  sessions: SessionsTable;
  session_ids: SessionIdsTable;
  session_lineage: SessionLineageTable;
  session_aliases: SessionAliasesTable;
  messages: MessagesTable;
  inbound_events: InboundEventsTable;
  inbox: InboxTable;
  turns: TurnsTable;
  runs: RunsTable;
  completions: CompletionsTable;
  exchanges: ExchangesTable;
  deliveries: DeliveriesTable;
  timers: TimersTable;
  state_events: StateEventsTable;
  pairing_requests: PairingRequestsTable;
  paired_senders: PairedSendersTable;
  pending_context: PendingContextTable;
  account_state: AccountStateTable;
  conversation_messages: ConversationMessagesTable;
  conversations: ConversationsTable;
  failures: FailuresTable;
}

export interface SessionsTable {
  key: string;
  session_id: string;
  agent_id: string;
  kind: string;
  channel: string | null;
  label: string | null;
  display_name: string | null;
  /** key, label and display name, case-folded, for `search` (ST-1). */
  search_text: string;
  model_override: string | null;
  thinking: string | null;
  show_reasoning: number;
  spawned_by: string | null;
  depth: number;
  pinned: number;
  archived_at: number | null;
  origin_route_json: string | null;
  last_route_json: string | null;
  state_version: number;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  context_tokens: number;
  created_at: number;
  updated_at: number;
  last_human_at: number | null;
  /** The session yielded and waits for its children: `all` together or `each` (CP-8); null: it does not wait. */
  yield_wait: string | null;
  /** The private context of the resumed turn. */
  yield_note: string | null;
}

/** Every life a session had, so that old transcripts stay readable by session id (TN-13). */
export interface SessionIdsTable {
  session_id: string;
  session_key: string;
  started_at: number;
  ended_at: number | null;
  /** What began it; unique, so that a repeated reset is one reset. */
  cause: string;
}

/** Every ancestor of every spawned session: lineage at any depth is one indexed look-up (VS-1). */
export interface SessionLineageTable {
  ancestor: string;
  descendant: string;
}

export interface SessionAliasesTable {
  old_key: string;
  new_key: string;
}

export interface MessagesTable {
  seq: Generated<number>;
  session_id: string;
  session_key: string;
  turn_id: string | null;
  role: string;
  parts_json: string;
  provenance_json: string;
  usage_json: string | null;
  created_at: number;
}

/** What became of every platform event, kept at least 7 days (IN-2, IN-17). */
export interface InboundEventsTable {
  identity: string;
  channel: string;
  account_id: string;
  conversation: string;
  sender_id: string;
  from_bot: number;
  result: string;
  rule: string;
  session_key: string | null;
  /** The input it became, or joined. */
  inbox_seq: number | null;
  /** What a second arrival may add to (IN-2): mention flags, attachments, chat type. */
  facts_json: string;
  album: string | null;
  link: string | null;
  received_at: number;
}

export interface InboxTable {
  seq: Generated<number>;
  key: string;
  session_key: string;
  kind: string;
  state: string;
  payload_json: string;
  provenance_json: string;
  route_json: string | null;
  /** `conversationKey` of the route, for merging by equality. */
  conversation: string | null;
  rights_json: string;
  turn_id: string | null;
  run_id: string | null;
  call_id: string | null;
  cause: string | null;
  received_at: number;
  created_at: number;
  settled_at: number | null;
}

export interface TurnsTable {
  id: string;
  session_key: string;
  session_id: string;
  source_json: string;
  fence: number;
  begins: number;
  run_id: string | null;
  outcome: string | null;
  error: string | null;
  stop_requested: number;
  started_at: number;
  ended_at: number | null;
}

export interface RunsTable {
  id: string;
  kind: string;
  call_id: string;
  session_key: string;
  wake_key: string;
  wake_session_id: string;
  route_json: string | null;
  rights_json: string;
  state: string;
  outcome: string | null;
  result: string | null;
  error: string | null;
  task: string;
  label: string | null;
  task_name: string | null;
  mode: string;
  cleanup: string;
  agent_id: string;
  model: string;
  depth: number;
  expects_completion: number;
  completion_target: string;
  timeout_at: number | null;
  input_tokens: number;
  output_tokens: number;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
}

export interface CompletionsTable {
  run_id: string;
  requester: string;
  state: string;
  reason: string | null;
  /** The requester yielded and waits for all: handed over with the last one (CP-8). */
  held: number;
  inbox_seq: number | null;
  created_at: number;
  settled_at: number | null;
}

export interface ExchangesTable {
  run_id: string;
  call_id: string;
  from_key: string;
  to_key: string;
  state: string;
  deadline: number | null;
  route_json: string | null;
  rights_json: string;
  reply: string | null;
  reply_status: string | null;
  created_at: number;
}

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

export interface TimersTable {
  task: string;
  key: string;
  due_at: number;
}

export interface StateEventsTable {
  sequence: Generated<number>;
  session_key: string;
  kind: string;
  actor_type: string;
  actor: string;
  run_id: string | null;
  at: number;
  summary: string;
  payload_json: string;
}

export interface PairingRequestsTable {
  channel: string;
  account_id: string;
  sender_id: string;
  sender_name: string;
  code: string;
  created_at: number;
  expires_at: number;
}

export interface PairedSendersTable {
  channel: string;
  account_id: string;
  sender_id: string;
  owner: number;
  approved_at: number;
}

/** Unaddressed group messages kept for the next addressed one (IN-7). */
export interface PendingContextTable {
  seq: Generated<number>;
  session_key: string;
  identity: string;
  sender_name: string;
  text: string;
  created_at: number;
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
