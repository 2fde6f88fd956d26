export const GOAL_STATES = ["active", "paused", "blocked", "complete"] as const;
export type GoalState = (typeof GOAL_STATES)[number];

/** The one durable objective of a session (ST-41). */
export interface Goal {
  readonly objective: string;
  readonly state: GoalState;
  /** How far it is, or why it is paused or blocked; null: nothing was noted. */
  readonly note: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** What created it: the same call twice is one goal. */
  readonly cause: string;
}

/** Longest objective and note, in characters. */
export const MAX_OBJECTIVE = 2_000;
export const MAX_GOAL_NOTE = 1_000;

/** A goal as models read it. */
export function goalView(goal: Goal | null) {
  if (goal === null) return null;
  const { objective, state, note, createdAt, updatedAt } = goal;
  return { objective, state, note, createdAt, updatedAt };
}
