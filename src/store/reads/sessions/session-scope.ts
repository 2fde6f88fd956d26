import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from "kysely";
import type { Session } from "../../../core/session/session.ts";
import type { SessionScope } from "../../../core/session/session-scope.ts";
import { sessionFromRow } from "../../rows.ts";
import type { Schema } from "../../schema.ts";
import { defineRead } from "../../store.ts";

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
