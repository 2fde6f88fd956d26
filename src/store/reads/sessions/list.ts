import { type Kysely, sql } from "kysely";
import type { AgentId, SessionId } from "../../../core/ids.ts";
import type { TranscriptMessage } from "../../../core/message/transcript.ts";
import type { Session } from "../../../core/session/session.ts";
import type { SessionKey, SessionKind, SessionScope } from "../../../core/session/session-key.ts";
import { messageFromRow, sessionFromRow } from "../../rows.ts";
import type { Schema } from "../../schema.ts";
import { defineRead } from "../../store.ts";
import { scopePlan, withinScope } from "./targets.ts";

/** A place in the order of listings: newest first, then by key from the end. */
export interface SessionCursor {
  readonly updatedAt: number;
  /** null: behind all of that millisecond. */
  readonly key: SessionKey | null;
}

/** Filters of a listing (ST-1); null or "all": the filter says nothing. */
export interface SessionFilter {
  readonly scope: SessionScope;
  readonly kinds: readonly SessionKind[] | null;
  readonly label: string | null;
  readonly agentId: AgentId | null;
  /** Part of key, label or display name, any case. */
  readonly search: string | null;
  readonly activeSince: number | null;
  readonly archived: boolean | "all";
  readonly pinned: boolean | null;
  readonly spawnedBy: SessionKey | null;
  readonly behind: SessionCursor | null;
  readonly limit: number;
  readonly offset: number;
}

export type SessionStatus = "idle" | "queued" | "running";

export interface ListedSession {
  readonly session: Session;
  readonly status: SessionStatus;
  /** Who spawned it, when the scope holds that one, too; a session itself knows its parent (VS-2). */
  readonly parent: SessionKey | null;
  /** Visible sessions it spawned itself, newest first, at most {@link MAX_CHILDREN}. */
  readonly children: readonly SessionKey[];
}

/** A parent of thousands must not fill a listing; `spawnedBy` pages through them. */
export const MAX_CHILDREN = 20;

/**
 * Sessions of a scope, newest first. Keys are chosen first, from an index that holds every filtered column, so that rows are
 * read for the page only.
 */
export const listSessions = defineRead(
  "list-sessions",
  async (db, filter: SessionFilter): Promise<readonly ListedSession[]> => {
    const plan = await scopePlan(db, filter.scope);
    let query = db.selectFrom("sessions").select("key");
    if (filter.archived !== "all") query = query.where("archived_at", filter.archived ? "is not" : "is", null);
    if (filter.kinds !== null) query = query.where("kind", "in", [...filter.kinds]);
    if (filter.label !== null)
      query = query.where((eb) => eb.or([eb("label", "=", filter.label), eb("display_name", "=", filter.label)]));
    if (filter.agentId !== null) query = query.where("agent_id", "=", filter.agentId);
    if (filter.activeSince !== null) query = query.where("updated_at", ">=", filter.activeSince);
    if (filter.behind !== null) {
      const { updatedAt, key } = filter.behind;
      query =
        key === null
          ? query.where("updated_at", "<", updatedAt)
          : query.where(sql<boolean>`(updated_at, key) < (${updatedAt}, ${key})`);
    }
    if (filter.pinned !== null) query = query.where("pinned", "=", filter.pinned ? 1 : 0);
    if (filter.spawnedBy !== null) query = query.where("spawned_by", "=", filter.spawnedBy);
    if (filter.search !== null) {
      // Not `like`: `%` and `_` in the words are themselves.
      query = query.where(sql<boolean>`instr(search_text, ${filter.search.toLowerCase()}) > 0`);
    }
    const keys = await query
      // Last, because SQLite tests in this order: the tree is looked up for what the cheap columns let through.
      .where((eb) => withinScope(eb, filter.scope, plan))
      .orderBy("updated_at", "desc")
      .orderBy("key", "desc")
      .limit(filter.limit)
      .offset(filter.offset)
      .execute();
    return pageOf(
      db,
      keys.map((row) => row.key),
      filter.scope,
    );
  },
);

async function pageOf(
  db: Kysely<Schema>,
  keys: readonly string[],
  scope: SessionScope,
): Promise<readonly ListedSession[]> {
  if (keys.length === 0) return [];
  const rows = await db
    .selectFrom("sessions")
    .selectAll()
    .select((eb) => [
      eb
        .exists(
          eb
            .selectFrom("turns")
            .select("turns.id")
            .whereRef("turns.session_key", "=", "sessions.key")
            .where("turns.ended_at", "is", null),
        )
        .as("running"),
      eb
        .exists(
          eb
            .selectFrom("inbox")
            .select("inbox.seq")
            .whereRef("inbox.session_key", "=", "sessions.key")
            .where("inbox.settled_at", "is", null)
            .where("inbox.state", "in", ["waiting", "held"])
            .where("inbox.kind", "not in", ["notice", "command"]),
        )
        .as("queued"),
      eb
        .exists(
          eb.selectFrom("sessions as child").select("child.key").whereRef("child.spawned_by", "=", "sessions.key"),
        )
        .as("is_parent"),
    ])
    .where("key", "in", [...keys])
    .execute();
  const parents = await visibleParents(db, rows, scope);
  const byKey = new Map(rows.map((row) => [row.key, row]));
  const listed: ListedSession[] = [];
  for (const key of keys) {
    const row = byKey.get(key);
    if (row === undefined) continue;
    const status = row.running ? "running" : row.queued ? "queued" : "idle";
    const children = row.is_parent ? await childrenOf(db, key, scope) : [];
    const parent = row.spawned_by !== null && parents.has(row.spawned_by) ? (row.spawned_by as SessionKey) : null;
    listed.push({ session: sessionFromRow(row), status, parent, children });
  }
  return listed;
}

async function visibleParents(
  db: Kysely<Schema>,
  rows: readonly { readonly key: string; readonly spawned_by: string | null }[],
  scope: SessionScope,
): Promise<ReadonlySet<string>> {
  const known = rows.filter((row) => row.key === scope.own).flatMap((row) => row.spawned_by ?? []);
  const named = [...new Set(rows.flatMap((row) => row.spawned_by ?? []))];
  if (named.length === 0 || scope.agents === "all") return new Set(named);
  const visible = await db
    .selectFrom("sessions")
    .select("key")
    .where("key", "in", named)
    .where((eb) => withinScope(eb, scope))
    .execute();
  return new Set([...known, ...visible.map((row) => row.key)]);
}

async function childrenOf(db: Kysely<Schema>, key: string, scope: SessionScope): Promise<readonly SessionKey[]> {
  let query = db.selectFrom("sessions").select("key").where("spawned_by", "=", key);
  // A page's rows are visible, and what one's own descendant spawned descends too: only agents' scopes can hide a child.
  if (!scope.lineage || scope.agents.length > 0) query = query.where((eb) => withinScope(eb, scope));
  const rows = await query.orderBy("updated_at", "desc").limit(MAX_CHILDREN).execute();
  return rows.map((row) => row.key as SessionKey);
}

/** The newest messages with text of each life, oldest first; `limit` per session (ST-1 `messageLimit`). */
export const newestTexts = defineRead(
  "newest-texts",
  async (
    db,
    input: { readonly sessionIds: readonly SessionId[]; readonly limit: number },
  ): Promise<ReadonlyMap<SessionId, readonly TranscriptMessage[]>> => {
    const found = new Map<SessionId, readonly TranscriptMessage[]>();
    for (const sessionId of input.sessionIds) {
      const rows = await db
        .selectFrom("messages")
        .selectAll()
        .where("session_id", "=", sessionId)
        .where("role", "in", ["user", "assistant"])
        // Steps that only call tools show nothing, and must not hide the text before them.
        .where(sql<boolean>`instr(parts_json, '{"type":"text","text":') > 0`)
        .orderBy("seq", "desc")
        .limit(input.limit)
        .execute();
      found.set(sessionId, rows.reverse().map(messageFromRow));
    }
    return found;
  },
);

/** The first message of a person or task of each life: what a title is made of (ST-3). */
export const firstTexts = defineRead(
  "first-texts",
  async (db, sessionIds: readonly SessionId[]): Promise<ReadonlyMap<SessionId, TranscriptMessage>> => {
    const found = new Map<SessionId, TranscriptMessage>();
    for (const sessionId of sessionIds) {
      const row = await db
        .selectFrom("messages")
        .selectAll()
        .where("session_id", "=", sessionId)
        .where("role", "=", "user")
        .orderBy("seq")
        .limit(1)
        .executeTakeFirst();
      if (row !== undefined) found.set(sessionId, messageFromRow(row));
    }
    return found;
  },
);
