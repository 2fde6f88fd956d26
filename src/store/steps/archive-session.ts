import type { SessionKey } from "../../core/session-key.ts";
import { defineStep } from "../store.ts";

/** A session that is used again when its time comes is looked at once more after this. */
const LOOK_AGAIN_MS = 10 * 60_000;

/**
 * SB-4: a sub-agent whose run ended is archived; its transcript stays readable. One that works again, or has a
 * place where people talk with it, is left for later, a pinned one for good. The timer's row ends with the decision, so a restart repeats nothing.
 */
export const archiveSession = defineStep(
  "archive-session",
  "normal",
  async ({ db, now, enqueue }, sessionKey: SessionKey): Promise<"archived" | "later" | "kept"> => {
    await db.deleteFrom("timers").where("task", "=", "archive").where("key", "=", sessionKey).execute();
    const session = await db
      .selectFrom("sessions")
      .select(["pinned", "archived_at"])
      .where("key", "=", sessionKey)
      .executeTakeFirst();
    if (session === undefined || session.pinned === 1 || session.archived_at !== null) return "kept";
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
          .where("settled_at", "is", null),
      )
      .limit(1)
      .executeTakeFirst();
    if (busy !== undefined) {
      enqueue("archive", sessionKey, now + LOOK_AGAIN_MS);
      return "later";
    }
    await db.updateTable("sessions").set({ archived_at: now }).where("key", "=", sessionKey).execute();
    return "archived";
  },
);
