import type { Generated } from "kysely";

/* What sessions are and remember. Times are milliseconds since the epoch, flags are 0 or 1, `*_json` columns are JSON text. */

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
  /** What `/queue` set (TN-3). */
  queue_json: string | null;
  show_tools: number;
  usage_line: string;
  spawned_by: string | null;
  depth: number;
  /** `allow`, `deny`, or null: as configured (ST-22). */
  send_policy: string | null;
  pinned: number;
  archived_at: number | null;
  origin_route_json: string | null;
  last_route_json: string | null;
  state_version: number;
  /** 1: there may be watchers; found out when something happens that they are told of (SL-3). */
  watched: number;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  context_tokens: number;
  created_at: number;
  updated_at: number;
  last_human_at: number | null;
  /** An automatic reset is due and waits for the next message (TN-13). */
  reset_due: number;
  /** The session yielded and waits for its children: `all` together or `each` (CP-8); null: it does not wait. */
  yield_wait: string | null;
  /** The private context of the resumed turn. */
  yield_note: string | null;
  /** ST-41. */
  goal_json: string | null;
}

/** Every life a session had, so that old transcripts stay readable by session id (TN-13). */
export interface SessionIdsTable {
  session_id: string;
  session_key: string;
  started_at: number;
  ended_at: number | null;
  /** What began it; unique, so that a repeated reset is one reset. */
  cause: string;
  /**
   * The life it continues from, up to and with a message (SP-5): read on, never copied. Code that removes transcripts must
   * keep the rows that are referred to so.
   */
  fork_session_id: string | null;
  fork_seq: number | null;
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

/** What search knows of a message (ST-11); its index behind this table is the migration's and `reads/sessions/search.ts`'s. */
export interface MessageWordsTable {
  seq: number;
  /** Folded words and places, separated by spaces. */
  words: string;
}

/** What makes a life's context smaller (TN-12); the messages themselves stay. */
export interface CompactionsTable {
  id: Generated<number>;
  session_id: string;
  /** `summary` replaces the messages up to `upto_seq`; `pruning` shortens their large tool results. */
  kind: string;
  upto_seq: number;
  /** The newest message when it was made: token counts up to it tell of a context that is no more. */
  measured_seq: number;
  summary: string | null;
  cause: string;
  created_at: number;
}

export interface StateEventsTable {
  sequence: Generated<number>;
  session_key: string;
  /** The session's event before this one, 0 for the first: a pruned one in between leaves a gap that shows (SL-5). */
  previous: number;
  kind: string;
  actor_type: string;
  actor: string;
  run_id: string | null;
  at: number;
  summary: string;
  payload_json: string;
}

/** Which sessions are told about changes in which others (SL-6). */
export interface WatchersTable {
  watcher: string;
  target: string;
  /** The target's version the watcher knows. */
  cursor: number;
  /** The inbox key of the last notice; while that input waits, it is the one pending notice of the pair (SL-7). */
  notice_key: string | null;
  /** When it was registered or last told. */
  touched_at: number;
}
