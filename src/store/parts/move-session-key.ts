import { sql } from "kysely";
import { StoreError } from "../../core/errors.ts";
import { turnTask } from "../../core/message/turn-inputs.ts";
import type { SessionKey } from "../../core/session/session-key.ts";
import type { StepContext } from "../store.ts";
import { searchText } from "./ensure-session.ts";

/** Every column that holds a session key, beside `sessions.key` itself. A new one goes into this list. */
const KEY_COLUMNS = [
  ["sessions", "spawned_by"],
  ["session_ids", "session_key"],
  ["session_lineage", "ancestor"],
  ["session_lineage", "descendant"],
  ["messages", "session_key"],
  ["inbound_events", "session_key"],
  ["inbox", "session_key"],
  ["turns", "session_key"],
  ["runs", "session_key"],
  ["runs", "wake_key"],
  ["completions", "requester"],
  ["exchanges", "from_key"],
  ["exchanges", "to_key"],
  ["deliveries", "session_key"],
  ["bindings", "session_key"],
  ["state_events", "session_key"],
  ["watchers", "watcher"],
  ["watchers", "target"],
  ["pending_context", "session_key"],
  ["failures", "session_key"],
] as const;

/**
 * Part of a step: a session gets another key with everything that names it, and the old key becomes an alias (SK-9). When a
 * session stands under the new key already, its life ends as one more stored life there and the moved one goes on, so the
 * memory people know survives. Throws a retryable StoreError while both run a turn.
 */
export async function moveSessionKey(context: StepContext, from: SessionKey, to: SessionKey): Promise<void> {
  const { db, enqueue } = context;
  await endNamesake(context, from, to);
  const session = await db.selectFrom("sessions").selectAll().where("key", "=", from).executeTakeFirst();
  if (session !== undefined) {
    const search = searchText({ key: to, label: session.label, displayName: session.display_name });
    await db.updateTable("sessions").set({ key: to, search_text: search }).where("key", "=", from).execute();
  }
  for (const [table, column] of KEY_COLUMNS) {
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${to} where ${sql.ref(column)} = ${from}`.execute(db);
  }
  await db.updateTable("session_aliases").set({ new_key: to }).where("new_key", "=", from).execute();
  await db
    .insertInto("session_aliases")
    .values({ old_key: from, new_key: to })
    .onConflict((conflict) => conflict.column("old_key").doUpdateSet({ new_key: to }))
    .execute();
  enqueue(turnTask(to), to);
  enqueue("command", to);
}

async function endNamesake({ db, now }: StepContext, from: SessionKey, to: SessionKey): Promise<void> {
  const running = await db
    .selectFrom("turns")
    .select("session_key")
    .where("session_key", "in", [from, to])
    .where("ended_at", "is", null)
    .execute();
  if (running.length > 1) {
    throw new StoreError("move_busy", `sessions ${from} and ${to} both run a turn`, { retryable: true });
  }
  const namesake = await db
    .deleteFrom("sessions")
    .where("key", "=", to)
    .returning(["session_id", "state_version"])
    .executeTakeFirst();
  // SL-6: who watched it, or was watched by it, watched a session that is gone.
  await db
    .deleteFrom("watchers")
    .where((eb) => eb.or([eb("watcher", "=", to), eb("target", "=", to)]))
    .execute();
  if (namesake === undefined) return;
  await db
    .updateTable("session_ids")
    .set({ ended_at: now })
    .where("session_id", "=", namesake.session_id)
    .where("ended_at", "is", null)
    .execute();
  // The version of a key never goes down (SL-2).
  await db
    .updateTable("sessions")
    .set({ state_version: namesake.state_version })
    .where("key", "=", from)
    .where("state_version", "<", namesake.state_version)
    .execute();
}
