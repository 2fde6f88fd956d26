import { sql } from "kysely";
import { conversationKey, type Route } from "../../../core/delivery/route.ts";
import type { Binding } from "../../../core/session/binding.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { bindingFromRow } from "../../rows.ts";
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
