import type { Session } from "../../core/session/session.ts";
import { startNewLife } from "../steps/sessions/reset-session.ts";
import type { StepContext } from "../store.ts";

/**
 * Part of a step, when a person writes to a session whose automatic reset is due (TN-13): a message starts the new life and is
 * its first. A command only looks at the old one, and while the session works or waits for results they are the old life's: the
 * reset then waits, noted in its row, for the next message.
 */
export async function resetWhenFree(
  context: StepContext,
  session: Session,
  by: { readonly kind: "event" | "command"; readonly identity: string },
): Promise<void> {
  const { db, now } = context;
  if (by.kind === "command" || (await isBusy(context, session))) {
    if (!session.resetDue)
      await db.updateTable("sessions").set({ reset_due: 1 }).where("key", "=", session.key).execute();
    return;
  }
  await startNewLife(context, {
    sessionKey: session.key,
    cause: `auto-reset:${by.identity}:${now}`,
    actor: { type: "system", id: "session.reset" },
  });
}

async function isBusy({ db }: StepContext, session: Session): Promise<boolean> {
  const turn = await db
    .selectFrom("turns")
    .select("id")
    .where("session_key", "=", session.key)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  if (turn !== undefined) return true;
  const run = await db
    .selectFrom("runs")
    .select("id")
    .where("wake_key", "=", session.key)
    .where("ended_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  if (run !== undefined) return true;
  const result = await db
    .selectFrom("inbox")
    .select("seq")
    .where("session_key", "=", session.key)
    .where("settled_at", "is", null)
    .where("kind", "=", "completion")
    .limit(1)
    .executeTakeFirst();
  return result !== undefined;
}
