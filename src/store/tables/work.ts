import type { Generated } from "kysely";

/* What enters and what is made of it. Times are milliseconds since the epoch, flags are 0 or 1, `*_json` columns are JSON text. */

/** The outcome of every platform event, kept at least 7 days (IN-2, IN-17). */
export interface InboundEventsTable {
  identity: string;
  channel: string;
  account_id: string;
  conversation: string;
  /** The platform's own id of the message it is about. */
  message_id: string;
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

/** Unaddressed group messages kept for the next addressed one (IN-7). */
export interface PendingContextTable {
  seq: Generated<number>;
  session_key: string;
  identity: string;
  sender_name: string;
  text: string;
  created_at: number;
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
  chain_json: string | null;
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
  /** `isolated`, `fork`, or `over_window`: asked for as a fork, too long to be one (SP-5). */
  context: string;
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
  from_session_id: string;
  to_session_id: string;
  from_turn_id: string;
  state: string;
  deadline: number | null;
  route_json: string | null;
  rights_json: string;
  chain_json: string;
  phase: string;
  round: number;
  rounds: number;
  announces: number;
  reply: string | null;
  reply_status: string | null;
  created_at: number;
  /** When nothing of it was left to do. */
  over_at: number | null;
}

/** ST-28. What was set off without a person, by the turn or command it all comes from. */
export interface ChainsTable {
  id: string;
  origin_key: string;
  route_json: string | null;
  turns: number;
  model_calls: number;
  tokens: number;
  stopped_by: string | null;
  created_at: number;
  updated_at: number;
}

/** What agents used, in slots of a quarter of an hour (TN-19). */
export interface SpendingTable {
  agent_id: string;
  slot: number;
  model: string;
  input: number;
  output: number;
  cached: number;
  cache_write: number;
}

export interface TimersTable {
  task: string;
  key: string;
  due_at: number;
}

/** Which conversation belongs to which session (TB-4); `ended_at` null: it counts. */
export interface BindingsTable {
  id: string;
  session_key: string;
  state: string;
  /** `conversationKey` of the bound place; null while it is being made. */
  conversation: string | null;
  channel: string;
  account_id: string;
  to_id: string;
  /** The bound place; while it is being made, the place it is made from. */
  route_json: string;
  run_id: string | null;
  /** The delivery that makes its thread; null: a thread that was there. */
  delivery_key: string | null;
  created_by: string;
  idle_ms: number;
  max_age_ms: number;
  created_at: number;
  last_activity: number;
  reason: string | null;
  ended_at: number | null;
}

/** Events of a place that may be a thread being made just now, until that is known (TB-1). */
export interface HeldEventsTable {
  seq: Generated<number>;
  identity: string;
  channel: string;
  account_id: string;
  to_id: string;
  conversation: string;
  event_json: string;
  created_at: number;
}
