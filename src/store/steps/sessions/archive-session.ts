import type { SessionKey } from "../../../core/session/session-key.ts";
import { deleteSession } from "../../parts/sessions.ts";
import { defineStep, type StepContext } from "../../store.ts";

/** A session that is used again when its time comes is looked at once more after this. */
const LOOK_AGAIN_MS = 10 * 60_000;

/**
 * SB-4: a sub-agent whose run ended is archived; its transcript stays readable. One that was spawned with `cleanup: "delete"` is
 * removed, once its result is settled (SP-1). One that works again, or has a place where people talk with it, is left for later,
 * a pinned one for good. The timer's row ends with the decision, so a restart repeats nothing.
 */
export const archiveSession = defineStep(
  "archive-session",
  "normal",
  async (context, sessionKey: SessionKey): Promise<"archived" | "deleted" | "later" | "kept"> => {
    const { db, now, enqueue } = context;
    await db.deleteFrom("timers").where("task", "=", "archive").where("key", "=", sessionKey).execute();
    const session = await db
      .selectFrom("sessions")
      .select(["pinned", "archived_at"])
      .where("key", "=", sessionKey)
      .executeTakeFirst();
    if (session === undefined || session.pinned === 1) return "kept";
    const isForDeletion = await spawnedForDeletion(context, sessionKey);
    if (session.archived_at !== null && !isForDeletion) return "kept";
    const busy = await db
      .selectFrom("turns")
      .select("id")
      .where("session_key", "=", sessionKey)
      .where("ended_at", "is", null)
      .unionAll(
        db.selectFrom("bindings").select("id").where("session_key", "=", sessionKey).where("ended_at", "is", null),
      )
      .unionAll(db.selectFrom("runs").select("id").where("session_key", "=", sessionKey).where("ended_at", "is", null))
      .unionAll(
        db
          .selectFrom("inbox")
          .select("key as id")
          .where("session_key", "=", sessionKey)
          // A line for its next turn is nothing it works on.
          .where("kind", "<>", "notice")
          .where("settled_at", "is", null),
      )
      .limit(1)
      .executeTakeFirst();
    if (busy !== undefined || (isForDeletion && (await owesCompletion(context, sessionKey)))) {
      enqueue("archive", sessionKey, now + LOOK_AGAIN_MS);
      return "later";
    }
    if (isForDeletion) {
      await deleteSession(context, sessionKey);
      return "deleted";
    }
    await db.updateTable("sessions").set({ archived_at: now }).where("key", "=", sessionKey).execute();
    return "archived";
  },
);

async function spawnedForDeletion({ db }: StepContext, sessionKey: SessionKey): Promise<boolean> {
  const run = await db
    .selectFrom("runs")
    .select("cleanup")
    .where("session_key", "=", sessionKey)
    .where("kind", "=", "spawn")
    .executeTakeFirst();
  return run?.cleanup === "delete";
}

async function owesCompletion({ db }: StepContext, sessionKey: SessionKey): Promise<boolean> {
  const owed = await db
    .selectFrom("completions")
    .innerJoin("runs", "runs.id", "completions.run_id")
    .select("runs.id")
    .where("runs.session_key", "=", sessionKey)
    .where("completions.settled_at", "is", null)
    .executeTakeFirst();
  return owed !== undefined;
}
