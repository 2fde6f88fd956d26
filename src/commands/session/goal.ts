import { z } from "zod";
import { type Goal, MAX_GOAL_NOTE, MAX_OBJECTIVE } from "../../core/session/session.ts";
import { type GoalChange, setGoal } from "../../store/steps/sessions/set-goal.ts";
import { type CommandAnswer, type CommandContext, defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

const ACTIONS = ["set", "pause", "resume", "block", "complete", "note", "clear"] as const;

/** `/goal [set|pause|resume|block|complete|note|clear] [text]`: the session's one durable objective (ST-41). */
export const goalCommand = defineCommand({
  name: "goal",
  group: "session",
  summary: "The goal this session works towards",
  arguments: [
    { name: "action", description: "without one, the goal is shown", choices: ACTIONS },
    { name: "text", description: "the objective, or a note", rest: true },
  ],
  input: z.object({ action: z.enum(ACTIONS).optional(), text: z.string().optional() }),
  role: "user",
  execute: async ({ action, text }, context) => {
    const { session } = await ownSession(context);
    if (action === undefined)
      return { text: session.goal === null ? "This session has no goal." : shown(session.goal) };
    const limit = action === "set" ? MAX_OBJECTIVE : MAX_GOAL_NOTE;
    if (text !== undefined && text.length > limit)
      return { text: `That is too long: at most ${limit} characters.`, private: true };
    const change = changeOf(action, text);
    return change === null ? { text: `Write it behind: /goal ${action} …`, private: true } : apply(change, context);
  },
});

function changeOf(action: (typeof ACTIONS)[number], text: string | undefined): GoalChange | null {
  const noted = text === undefined ? {} : { note: text };
  switch (action) {
    case "set":
      return text === undefined ? null : { kind: "create", objective: text, note: null, replace: true };
    case "note":
      return text === undefined ? null : { kind: "update", note: text };
    case "pause":
      return { kind: "update", state: "paused", ...noted };
    case "resume":
      return { kind: "update", state: "active", ...noted };
    case "block":
      return { kind: "update", state: "blocked", ...noted };
    case "complete":
      return { kind: "update", state: "complete", ...noted };
    case "clear":
      return { kind: "clear" };
  }
}

async function apply(
  change: GoalChange,
  { services, sessionKey, sender, cause }: CommandContext,
): Promise<CommandAnswer> {
  const actor = { type: "human" as const, id: sender.id };
  const done = await services.store.step(setGoal, { sessionKey, change, cause, actor });
  if (done.result !== "set") return { text: "This session has no goal; /goal set … gives it one." };
  return { text: done.goal === null ? "The goal is removed." : shown(done.goal) };
}

function shown({ objective, state, note }: Goal): string {
  return [`Goal (${state}): ${objective}`, ...(note === null ? [] : [`Note: ${note}`])].join("\n");
}
