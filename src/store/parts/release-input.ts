import { mustWait } from "../../core/message/gathering.ts";
import type { InboxPayload } from "../../core/message/inbox-item.ts";
import { turnTask } from "../../core/message/turn-inputs.ts";
import type { SessionKey } from "../../core/session/session-key.ts";
import type { StepContext } from "../store.ts";

/**
 * Part of a step: the state an input takes with this payload, and what is due for it: its release while it must still wait
 * (a row keeps the time over a restart), its session's turn once it may be taken.
 */
export async function dueFor(
  { db, now, enqueue }: StepContext,
  input: { readonly key: string; readonly sessionKey: SessionKey; readonly payload: InboxPayload },
): Promise<"held" | "waiting"> {
  if (!mustWait(input.payload, now)) {
    await dropReleaseTimer(db, input.key);
    enqueue(turnTask(input.sessionKey), input.sessionKey);
    return "waiting";
  }
  const until = input.payload.kind === "event" ? (input.payload.gathering?.until ?? now) : now;
  // A time in the future, or no row would keep it (SB-4).
  enqueue("release", input.key, Math.max(until, now + 1));
  return "held";
}

/** Part of a step: an input that waits no more, however it ended, keeps no timer. */
export async function dropReleaseTimer(db: StepContext["db"], key: string): Promise<void> {
  await db.deleteFrom("timers").where("task", "=", "release").where("key", "=", key).execute();
}
