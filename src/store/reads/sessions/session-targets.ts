import type { SessionId } from "../../../core/ids.ts";
import type { Session } from "../../../core/session/session.ts";
import type { SessionScope } from "../../../core/session/session-scope.ts";
import { sessionFromRow } from "../../rows.ts";
import { defineRead } from "../../store.ts";
import { visibleSession, withinScope } from "./session-scope.ts";

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

/** Visible sessions with exactly this label, active ones first, newest first. */
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
      .where("label", "=", input.label)
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
