import { z } from "zod";
import { ToolError } from "../core/errors.ts";
import { GOAL_STATES, goalView, MAX_GOAL_NOTE, MAX_OBJECTIVE } from "../core/session/session.ts";
import { goalTexts } from "../core/texts/agent/tools/goals.ts";
import { sessionByKey } from "../store/reads/sessions/targets.ts";
import { type GoalChange, setGoal } from "../store/steps/sessions/set-goal.ts";
import { defineTool, type ToolContext } from "./tool.ts";

const goal = z.object({
  objective: z.string(),
  state: z.enum(GOAL_STATES),
  note: z.string().optional(),
  updatedAt: z.string(),
});
const output = z.object({ status: z.literal("ok"), goal: goal.nullable() });
const objective = z.string().trim().min(1).max(MAX_OBJECTIVE);
const note = z.string().trim().min(1).max(MAX_GOAL_NOTE);

/** ST-41. */
export const getGoal = defineTool({
  name: "get_goal",
  description: goalTexts.get,
  group: "sessions",
  profiles: ["coding"],
  // A sub-agent's task is its goal.
  subagents: "none",
  input: z.object({}),
  output,
  execute: async (_args, { store, session, timeText }) => {
    const now = await store.read(sessionByKey, session.key);
    return { result: { status: "ok", goal: goalView(now?.goal ?? null, timeText) } };
  },
});

/** ST-41. */
export const createGoal = defineTool({
  name: "create_goal",
  description: goalTexts.create,
  group: "sessions",
  profiles: ["coding"],
  // A sub-agent's task is its goal.
  subagents: "none",
  input: z.object({
    objective: objective.describe(goalTexts.objective),
    note: note.optional().describe(goalTexts.note),
  }),
  output,
  execute: (args, context) =>
    apply({ kind: "create", objective: args.objective, note: args.note ?? null, replace: false }, context),
});

/** ST-41. */
export const updateGoal = defineTool({
  name: "update_goal",
  description: goalTexts.update,
  group: "sessions",
  profiles: ["coding"],
  // A sub-agent's task is its goal.
  subagents: "none",
  input: z
    .object({
      state: z.enum(GOAL_STATES).optional(),
      note: note.optional(),
      objective: objective.optional(),
    })
    .refine((args) => Object.values(args).some((value) => value !== undefined), {
      error: goalTexts.nothing,
    }),
  output,
  execute: (args, context) => apply({ kind: "update", ...args }, context),
});

async function apply(change: GoalChange, { store, session, callId, timeText }: ToolContext) {
  const actor = { type: "agent" as const, id: session.agentId };
  const done = await store.step(setGoal, { sessionKey: session.key, change, cause: callId, actor });
  switch (done.result) {
    case "set":
      return { result: { status: "ok" as const, goal: goalView(done.goal, timeText) } };
    case "unfinished":
      throw new ToolError(goalTexts.unfinished(done.goal.state), {
        hint: goalTexts.unfinishedHint,
      });
    case "none":
      throw new ToolError(goalTexts.none, { hint: goalTexts.noneHint });
  }
}
