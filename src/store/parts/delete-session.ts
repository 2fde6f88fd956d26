import type { SessionKey } from "../../core/session/session-key.ts";
import type { StepContext } from "../store.ts";
import { endWatching } from "./watch.ts";

/**
 * Part of a step: a sub-agent's session is removed with what it remembers (SP-1 `cleanup: "delete"`). What others still need
 * stays: its run with the result, its place in the lineage, and a transcript that a fork reads on from (SP-5).
 */
export async function deleteSession(context: StepContext, key: SessionKey): Promise<void> {
  const { db } = context;
  await endWatching(context, key, "altogether");
  const forked = await db
    .selectFrom("session_ids as fork")
    .innerJoin("session_ids as own", "own.session_id", "fork.fork_session_id")
    .select("fork.session_id")
    .where("own.session_key", "=", key)
    .where("fork.session_key", "<>", key)
    .limit(1)
    .executeTakeFirst();
  if (forked === undefined) {
    const lives = db.selectFrom("session_ids").select("session_id").where("session_key", "=", key);
    await db.deleteFrom("compactions").where("session_id", "in", lives).execute();
    // By life: transcripts have no index by key.
    await db.deleteFrom("messages").where("session_id", "in", lives).execute();
    await db.deleteFrom("session_ids").where("session_key", "=", key).execute();
  }
  for (const table of ["inbox", "turns", "state_events", "pending_context"] as const) {
    await db.deleteFrom(table).where("session_key", "=", key).execute();
  }
  await db.deleteFrom("sessions").where("key", "=", key).execute();
}
