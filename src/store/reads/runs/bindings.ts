import { sql } from "kysely";
import { conversationKey, type Route } from "../../../core/delivery/delivery.ts";
import type { Binding } from "../../../core/session/run.ts";
import type { Session } from "../../../core/session/session.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { bindingFromRow, sessionFromRow } from "../../rows.ts";
import { defineRead } from "../../store.ts";

/** What a conversation is bound to, also while that is paused; null: nothing. */
export const bindingHere = defineRead("binding-here", async (db, route: Route): Promise<Binding | null> => {
  const row = await db
    .selectFrom("bindings")
    .selectAll()
    .where("conversation", "=", conversationKey(route))
    .where("ended_at", "is", null)
    .executeTakeFirst();
  return row === undefined ? null : bindingFromRow(row);
});

/** The session that started what this conversation was bound to last, over or not; null: nothing ever was, or nobody did. */
export const lastSpawnerHere = defineRead("last-spawner-here", async (db, route: Route): Promise<SessionKey | null> => {
  const row = await db
    .selectFrom("bindings")
    .innerJoin("sessions", "sessions.key", "bindings.session_key")
    .select("sessions.spawned_by")
    .where("conversation", "=", conversationKey(route))
    .orderBy("bindings.created_at", "desc")
    .orderBy("bindings.id", "desc")
    .limit(1)
    .executeTakeFirst();
  return (row?.spawned_by as SessionKey | null | undefined) ?? null;
});

/** The bindings of a session and of its whole tree that are not over, with the sessions' labels, oldest first. */
export const bindingsOfTree = defineRead(
  "bindings-of-tree",
  async (db, root: SessionKey): Promise<readonly (Binding & { readonly label: string | null })[]> => {
    const rows = await db
      .selectFrom("bindings")
      .innerJoin("sessions", "sessions.key", "bindings.session_key")
      .selectAll("bindings")
      .select("sessions.label")
      .where("ended_at", "is", null)
      .where(
        sql<boolean>`bindings.session_key in (select descendant from session_lineage where ancestor = ${root} union all select ${root})`,
      )
      .orderBy("bindings.created_at")
      .orderBy("bindings.id")
      .execute();
    return rows.map((row) => ({ ...bindingFromRow(row), label: row.label }));
  },
);

export interface LiveThread {
  readonly threadId: string;
  readonly session: Session;
}

/**
 * The threads of a conversation in which something goes on, the most recently used first: what is bound there, and sessions
 * that were last written to there since `activeSince` and are not archived (CM-2). One entry per thread.
 */
export const liveThreads = defineRead(
  "live-threads",
  async (
    db,
    { place, activeSince, limit }: { readonly place: Route; readonly activeSince: number; readonly limit: number },
  ): Promise<readonly LiveThread[]> => {
    const bound = await db
      .selectFrom("bindings")
      .innerJoin("sessions", "sessions.key", "bindings.session_key")
      .selectAll("sessions")
      .select("bindings.route_json as bound_route")
      .where("bindings.to_id", "=", place.to)
      .where("bindings.channel", "=", place.channel)
      .where("bindings.account_id", "=", place.accountId)
      .where("bindings.ended_at", "is", null)
      .where("bindings.conversation", "is not", null)
      .orderBy("sessions.updated_at", "desc")
      .limit(limit)
      .execute();
    const written = await db
      .selectFrom("sessions")
      .selectAll()
      .where("updated_at", ">=", activeSince)
      .where("archived_at", "is", null)
      // Lets through a little more than the place's own; what is compared below decides.
      .where(sql<boolean>`instr(coalesce(last_route_json, ''), ${JSON.stringify(place.to)}) > 0`)
      .orderBy("updated_at", "desc")
      .orderBy("key", "desc")
      .limit(limit * 2)
      .execute();
    const found = new Map<string, Session>();
    const take = (route: Route | null, session: Session): void => {
      const here = route?.channel === place.channel && route.accountId === place.accountId && route.to === place.to;
      if (here && route.threadId !== null && !found.has(route.threadId)) found.set(route.threadId, session);
    };
    for (const row of bound) take(JSON.parse(row.bound_route) as Route, sessionFromRow(row));
    for (const session of written.map(sessionFromRow)) take(session.lastRoute, session);
    return [...found]
      .map(([threadId, session]) => ({ threadId, session }))
      .sort((a, b) => b.session.updatedAt - a.session.updatedAt)
      .slice(0, limit);
  },
);
