import type { StateEvent } from "../../core/state-event.ts";
import type { StepContext } from "../store.ts";

/** Part of a step: appends to a session's log and raises its `stateVersion` to the new sequence (SL-2, SL-4). Returns it. */
export async function logStateEvent(
  { db, now }: StepContext,
  event: Omit<StateEvent, "sequence" | "at">,
): Promise<number> {
  const before = await db
    .selectFrom("sessions")
    .select("state_version")
    .where("key", "=", event.sessionKey)
    .executeTakeFirst();
  const { sequence } = await db
    .insertInto("state_events")
    .values({
      session_key: event.sessionKey,
      previous: before?.state_version ?? 0,
      kind: event.kind,
      actor_type: event.actorType,
      actor: event.actor,
      run_id: event.runId,
      at: now,
      summary: event.summary,
      payload_json: JSON.stringify(event.payload),
    })
    .returning("sequence")
    .executeTakeFirstOrThrow();
  await db.updateTable("sessions").set({ state_version: sequence }).where("key", "=", event.sessionKey).execute();
  return sequence;
}
