import { StoreError } from "../../../core/errors.ts";
import type { StateEvent } from "../../../core/session/run.ts";
import type { Goal, GoalState } from "../../../core/session/session.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { GOAL_REMOVED, goalChanged } from "../../../core/texts/agent/session-notices.ts";
import { logStateEvent } from "../../parts/session-log.ts";
import { sessionFromRow } from "../../rows.ts";
import { defineStep } from "../../store.ts";

export type GoalChange =
  /** A new one in the place of none or a complete one; `replace`: also of an unfinished one. */
  | { readonly kind: "create"; readonly objective: string; readonly note: string | null; readonly replace: boolean }
  /** What is undefined stays. */
  | {
      readonly kind: "update";
      readonly objective?: string | undefined;
      readonly state?: GoalState | undefined;
      readonly note?: string | null | undefined;
    }
  | { readonly kind: "clear" };

export interface SetGoalInput {
  readonly sessionKey: SessionKey;
  readonly change: GoalChange;
  readonly cause: string;
  readonly actor: { readonly type: StateEvent["actorType"]; readonly id: string };
}

/** `unfinished`: there is a goal that is not complete, and it stays. `none`: there is nothing to update. */
export type GoalResult =
  | { readonly result: "set"; readonly goal: Goal | null }
  | { readonly result: "unfinished"; readonly goal: Goal }
  | { readonly result: "none" };

/** ST-41: changes a session's goal, with its line in the log (SL-1). The same cause again, or no difference, changes nothing. */
export const setGoal = defineStep("set-goal", "normal", async (context, input: SetGoalInput): Promise<GoalResult> => {
  const { db } = context;
  const row = await db.selectFrom("sessions").selectAll().where("key", "=", input.sessionKey).executeTakeFirst();
  if (row === undefined) throw new StoreError("no_session", `no session ${input.sessionKey}`, { retryable: false });
  const { goal } = sessionFromRow(row);
  const next = changed(goal, input, context.now);
  if (next.result !== "set" || next.goal === goal) return next;
  await db
    .updateTable("sessions")
    .set({ goal_json: next.goal === null ? null : JSON.stringify(next.goal) })
    .where("key", "=", input.sessionKey)
    .execute();
  await logStateEvent(context, {
    sessionKey: input.sessionKey,
    kind: "goal_changed",
    actorType: input.actor.type,
    actor: input.actor.id,
    runId: null,
    summary: next.goal === null ? GOAL_REMOVED : goalChanged(next.goal.state),
    payload: { state: next.goal?.state ?? null },
  });
  return next;
});

function changed(goal: Goal | null, { change, cause }: SetGoalInput, now: number): GoalResult {
  switch (change.kind) {
    case "create": {
      if (goal?.cause === cause) return { result: "set", goal };
      if (goal !== null && goal.state !== "complete" && !change.replace) return { result: "unfinished", goal };
      const { objective, note } = change;
      return { result: "set", goal: { objective, note, state: "active", createdAt: now, updatedAt: now, cause } };
    }
    case "update": {
      if (goal === null) return { result: "none" };
      const objective = change.objective ?? goal.objective;
      const state = change.state ?? goal.state;
      const note = change.note === undefined ? goal.note : change.note;
      const same = objective === goal.objective && state === goal.state && note === goal.note;
      return { result: "set", goal: same ? goal : { ...goal, objective, state, note, updatedAt: now } };
    }
    case "clear":
      return { result: "set", goal: null };
  }
}
