import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from "kysely";
import type { Route } from "../../../core/delivery/delivery.ts";
import type { SessionId } from "../../../core/ids.ts";
import type { TokenUsage } from "../../../core/message/transcript.ts";
import type { Rights } from "../../../core/session/rights.ts";
import type { StateEvent } from "../../../core/session/run.ts";
import type { Session } from "../../../core/session/session.ts";
import type { SessionKey, SessionScope } from "../../../core/session/session-key.ts";
import { sessionFromRow, stateEventFromRow, turnFromRow } from "../../rows.ts";
import type { Schema } from "../../schema.ts";
import { defineRead } from "../../store.ts";

export const sessionByKey = defineRead("session-by-key", async (db, key: SessionKey): Promise<Session | null> => {
  const row = await db.selectFrom("sessions").selectAll().where("key", "=", key).executeTakeFirst();
  return row === undefined ? null : sessionFromRow(row);
});

/** How a query looks for the sessions of a lineage: each by its key, or by walking all sessions in their order. */
export type ScopePlan = "lookup" | "walk";

/**
 * VS-1 in SQL, for every query over `sessions`: nothing outside the scope reaches a limit, a count or a preview (VS-2).
 * `case` keeps the planner from turning the walk into a sorted union, which reads every row before it shows one.
 */
export function withinScope(
  eb: ExpressionBuilder<Schema, "sessions">,
  scope: SessionScope,
  plan: ScopePlan = "lookup",
): Expression<SqlBool> {
  const { own, lineage, agents } = scope;
  if (agents === "all") return eb.lit(true);
  const within = lineage ? treeOf(own) : eb("sessions.key", "=", own);
  if (agents.length > 0) {
    return sql<SqlBool>`case when sessions.agent_id in (${sql.join(agents)}) then true else ${within} end`;
  }
  return plan === "walk" ? sql<SqlBool>`case when true then ${within} end` : within;
}

function treeOf(own: string): Expression<SqlBool> {
  return sql<SqlBool>`sessions.key in (select descendant from session_lineage where ancestor = ${own} union all select ${own})`;
}

/** Up to this many sessions looked up one by one cost less than a walk over all. */
const FEW = 1_000;

/** The cheaper plan for a scope: most sessions spawned little, a few spawned thousands (ST-4). */
export async function scopePlan(db: Kysely<Schema>, { own, lineage, agents }: SessionScope): Promise<ScopePlan> {
  if (!lineage || agents === "all" || agents.length > 0) return "lookup";
  const beyond = await db
    .selectFrom("session_lineage")
    .select("descendant")
    .where("ancestor", "=", own)
    .orderBy("descendant")
    .offset(FEW)
    .limit(1)
    .executeTakeFirst();
  return beyond === undefined ? "lookup" : "walk";
}

/** The session of a key when the scope holds it; null: hidden, or there is none, and nobody may tell which (VS-2). */
export async function visibleSession(db: Kysely<Schema>, scope: SessionScope, key: string): Promise<Session | null> {
  const row = await db
    .selectFrom("sessions")
    .selectAll()
    .where("key", "=", key)
    .where((eb) => withinScope(eb, scope))
    .executeTakeFirst();
  return row === undefined ? null : sessionFromRow(row);
}

export const findVisible = defineRead(
  "find-visible",
  (db, input: { readonly scope: SessionScope; readonly key: string }): Promise<Session | null> =>
    visibleSession(db, input.scope, input.key),
);

export interface TargetSession {
  readonly session: Session;
  /** The life that was asked for: a session id may name an old one (TN-13). */
  readonly sessionId: SessionId;
}

/** A session by key, former key or session id, when the scope holds it. Resolved first, then authorised (FC-106). */
export const visibleTarget = defineRead(
  "visible-target",
  async (
    db,
    { scope, reference }: { readonly scope: SessionScope; readonly reference: string },
  ): Promise<TargetSession | null> => {
    const life = await db
      .selectFrom("session_ids")
      .select("session_key")
      .where("session_id", "=", reference)
      .executeTakeFirst();
    const alias = await db
      .selectFrom("session_aliases")
      .select("new_key")
      .where("old_key", "=", life?.session_key ?? reference)
      .executeTakeFirst();
    const session = await visibleSession(db, scope, alias?.new_key ?? life?.session_key ?? reference);
    if (session === null) return null;
    return { session, sessionId: life === undefined ? session.sessionId : reference };
  },
);

/** SK-3: the visible key that differs from the reference by case only. */
export const visibleKeyByCase = defineRead(
  "visible-key-by-case",
  async (
    db,
    { scope, reference }: { readonly scope: SessionScope; readonly reference: string },
  ): Promise<string | null> => {
    const row = await db
      .selectFrom("sessions")
      .select("key")
      .where((eb) => eb(eb.fn<string>("lower", ["key"]), "=", reference.toLowerCase()))
      .where((eb) => withinScope(eb, scope))
      .executeTakeFirst();
    return row?.key ?? null;
  },
);

/** Visible sessions with exactly this label or name (`/name`), active ones first, newest first. */
export const visibleByLabel = defineRead(
  "visible-by-label",
  async (
    db,
    input: {
      readonly scope: SessionScope;
      readonly label: string;
      readonly agentId: string | null;
      readonly limit: number;
    },
  ): Promise<readonly Session[]> => {
    let query = db
      .selectFrom("sessions")
      .selectAll()
      .where((eb) => eb.or([eb("label", "=", input.label), eb("display_name", "=", input.label)]))
      .where((eb) => withinScope(eb, input.scope));
    if (input.agentId !== null) query = query.where("agent_id", "=", input.agentId);
    const rows = await query
      .orderBy((eb) => eb.case().when("archived_at", "is", null).then(0).else(1).end())
      .orderBy("updated_at", "desc")
      .limit(input.limit)
      .execute();
    return rows.map(sessionFromRow);
  },
);

/** Further back than this a session's people may have changed. */
const TURNS = 20;

/**
 * The rights a session itself works with (TN-14): those of its newest turn that a person, a task or a completion started.
 * Inter-session turns do not count: theirs were lowered already. null: it never had any.
 */
export const ownRights = defineRead("own-rights", async (db, sessionKey: SessionKey): Promise<Rights | null> => {
  const rows = await db
    .selectFrom("turns")
    .selectAll()
    .where("session_key", "=", sessionKey)
    .orderBy("started_at", "desc")
    .limit(TURNS)
    .execute();
  const turn = rows.map(turnFromRow).find(({ source }) => source.kind !== "inter_session");
  return turn?.source.rights ?? null;
});

/** The route of the turn that a session has open, null inside when it answers nowhere; null: no turn is open (ST-32). */
export const activeRoute = defineRead(
  "active-route",
  async (db, sessionKey: SessionKey): Promise<{ readonly route: Route | null } | null> => {
    const row = await db
      .selectFrom("turns")
      .selectAll()
      .where("session_key", "=", sessionKey)
      .where("ended_at", "is", null)
      .executeTakeFirst();
    return row === undefined ? null : { route: turnFromRow(row).source.route };
  },
);

/** What goes on in a session right now, for its status card (ST-30). */
export interface SessionActivity {
  /** When its open turn began; null: none is open. */
  readonly turnStartedAt: number | null;
  /** Inputs that wait for a turn; commands and notices do not count. */
  readonly waitingInputs: number;
  /** Open runs of its sub-agents. */
  readonly children: number;
  /** Other open runs it waits for. */
  readonly backgroundRuns: number;
  /** How often older messages of this life were summarised (TN-12). */
  readonly compactions: number;
  /** The newest stored usage of this life (ST-31); null: no model was called yet. */
  readonly lastUsage: TokenUsage | null;
}

export const sessionActivity = defineRead(
  "session-activity",
  async (db, input: { readonly key: SessionKey; readonly sessionId: SessionId }): Promise<SessionActivity> => {
    const row = await db
      .selectNoFrom((eb) => [
        eb
          .selectFrom("turns")
          .select("started_at")
          .where("session_key", "=", input.key)
          .where("ended_at", "is", null)
          .as("turn_started_at"),
        eb
          .selectFrom("inbox")
          .select(sql<number>`count(*)`.as("n"))
          .where("session_key", "=", input.key)
          .where("settled_at", "is", null)
          .where("state", "in", ["waiting", "held"])
          .where("kind", "not in", ["command", "notice"])
          .as("waiting"),
        eb
          .selectFrom("runs")
          .select(sql<number>`count(*)`.as("n"))
          .where("wake_key", "=", input.key)
          .where("ended_at", "is", null)
          .where("kind", "=", "spawn")
          .as("children"),
        eb
          .selectFrom("runs")
          .select(sql<number>`count(*)`.as("n"))
          .where("wake_key", "=", input.key)
          .where("ended_at", "is", null)
          .where("kind", "<>", "spawn")
          .as("background"),
        eb
          .selectFrom("messages")
          .select("usage_json")
          .where("session_id", "=", input.sessionId)
          .where("usage_json", "is not", null)
          .orderBy("seq", "desc")
          .limit(1)
          .as("usage_json"),
        eb
          .selectFrom("compactions")
          .select(sql<number>`count(*)`.as("n"))
          .where("session_id", "=", input.sessionId)
          .where("kind", "=", "summary")
          .as("compactions"),
      ])
      .executeTakeFirstOrThrow();
    return {
      turnStartedAt: row.turn_started_at === null ? null : Number(row.turn_started_at),
      waitingInputs: Number(row.waiting ?? 0),
      children: Number(row.children ?? 0),
      backgroundRuns: Number(row.background ?? 0),
      compactions: Number(row.compactions ?? 0),
      lastUsage: row.usage_json === null ? null : (JSON.parse(row.usage_json) as TokenUsage),
    };
  },
);

/** SL-5. */
const MAX_EVENTS = 200;

export interface StateChanges {
  /** Up to 200 after the version, oldest first. */
  readonly events: readonly StateEvent[];
  /** True exactly when events after the version have been pruned. */
  readonly historyGap: boolean;
}

/** What happened to a session after a version of it (SL-5). `stateVersion`: the session's own, which pruning never lowers. */
export const stateChanges = defineRead(
  "state-changes",
  async (
    db,
    input: { readonly sessionKey: SessionKey; readonly after: number; readonly stateVersion: number },
  ): Promise<StateChanges> => {
    const rows = await db
      .selectFrom("state_events")
      .selectAll()
      .where("session_key", "=", input.sessionKey)
      .where("sequence", ">", input.after)
      .orderBy("sequence")
      .limit(MAX_EVENTS)
      .execute();
    const [first] = rows;
    const historyGap = first === undefined ? input.stateVersion > input.after : first.previous > input.after;
    return { events: rows.map(stateEventFromRow), historyGap };
  },
);
