import type { StateEvent, StateEventKind } from "../../core/message/state-event.ts";
import { assertNever } from "../../core/runtime.ts";
import type { StepContext } from "../store.ts";
import { notifyWatchers } from "./watch.ts";

/**
 * Part of a step: appends to a session's log, raises its `stateVersion` to the new sequence and tells its watchers of what
 * others must know (SL-2 … SL-4). Returns the sequence.
 */
export async function logStateEvent(context: StepContext, event: Omit<StateEvent, "sequence" | "at">): Promise<number> {
  const { db, now } = context;
  const before = await db
    .selectFrom("sessions")
    .select(["state_version", "watched"])
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
  if (before?.watched === 1 && notifies(event.kind)) {
    await notifyWatchers(context, { target: event.sessionKey, sequence, actor: event.actor });
  }
  return sequence;
}

/** SL-3. Runs have completions, which is their own way to whoever waits. */
function notifies(kind: StateEventKind): boolean {
  switch (kind) {
    case "human_direct_message":
    case "goal_changed":
    case "reset":
    case "bound":
    case "unbound":
      return true;
    case "created":
    case "child_spawned":
    case "run_completed":
    case "run_failed":
    case "compacted":
      return false;
    default:
      return assertNever(kind);
  }
}
