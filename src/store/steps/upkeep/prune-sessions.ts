import type { Expression } from "kysely";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { deleteSession } from "../../parts/sessions.ts";
import { defineStep, type StepContext } from "../../store.ts";

export interface PruneSessionsInput {
  /** Sessions nothing has happened in since, and lives that ended before. */
  readonly before: number;
  /** At most so many of either. */
  readonly limit: number;
}

/**
 * OP-10: removes old sessions with their transcripts, and of the younger ones the transcripts of old lives. Pinned sessions stay, so
 * does what works, waits, is bound or owes a result, and what a fork still reads on from (SP-5). Returns how many went.
 */
export const pruneSessions = defineStep(
  "prune-sessions",
  "normal",
  async (context, input: PruneSessionsInput): Promise<number> => {
    const keys = await idleSessions(context, input);
    for (const key of keys) await deleteSession(context, key as SessionKey);
    return keys.length + (await pruneLives(context, input));
  },
);

async function idleSessions({ db }: StepContext, { before, limit }: PruneSessionsInput): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("sessions")
    .select("key")
    .where("updated_at", "<", before)
    .where("pinned", "=", 0)
    .where((eb) => {
      const none = (busy: Expression<unknown>) => eb.not(eb.exists(busy));
      return eb.and([
        none(
          eb
            .selectFrom("turns")
            .select("id")
            .whereRef("session_key", "=", "sessions.key")
            .where("ended_at", "is", null),
        ),
        none(
          eb
            .selectFrom("inbox")
            .select("seq")
            .whereRef("session_key", "=", "sessions.key")
            .where("settled_at", "is", null)
            .where("kind", "<>", "notice"),
        ),
        none(
          eb
            .selectFrom("runs")
            .select("id")
            .where("ended_at", "is", null)
            .where((on) =>
              on.or([on("session_key", "=", on.ref("sessions.key")), on("wake_key", "=", on.ref("sessions.key"))]),
            ),
        ),
        none(
          eb
            .selectFrom("bindings")
            .select("id")
            .whereRef("session_key", "=", "sessions.key")
            .where("ended_at", "is", null),
        ),
        none(
          eb
            .selectFrom("completions")
            .select("run_id")
            .whereRef("requester", "=", "sessions.key")
            .where("settled_at", "is", null),
        ),
      ]);
    })
    .orderBy("updated_at")
    .limit(limit)
    .execute();
  return rows.map((row) => row.key);
}

async function pruneLives({ db }: StepContext, { before, limit }: PruneSessionsInput): Promise<number> {
  const rows = await db
    .selectFrom("session_ids")
    .innerJoin("sessions", "sessions.key", "session_ids.session_key")
    .select("session_ids.session_id")
    .where("session_ids.ended_at", "<", before)
    .where("sessions.pinned", "=", 0)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("session_ids as fork")
            .select("fork.session_id")
            .whereRef("fork.fork_session_id", "=", "session_ids.session_id"),
        ),
      ),
    )
    .limit(limit)
    .execute();
  const lives = rows.map((row) => row.session_id);
  if (lives.length === 0) return 0;
  for (const table of ["messages", "compactions", "session_ids"] as const) {
    await db.deleteFrom(table).where("session_id", "in", lives).execute();
  }
  return lives.length;
}
