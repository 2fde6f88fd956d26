import { sql } from "kysely";
import type { Route } from "../../../core/delivery/route.ts";
import type { Session } from "../../../core/session/session.ts";
import { sessionFromRow } from "../../rows.ts";
import { defineRead } from "../../store.ts";

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
