import { z } from "zod";
import { type Goal, MAX_GOAL_NOTE, MAX_OBJECTIVE } from "../../core/session/session.ts";
import { sessionTexts } from "../../core/texts/commands/session.ts";
import { type GoalChange, setGoal } from "../../store/steps/sessions/set-goal.ts";
import { type CommandAnswer, type CommandContext, defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

const ACTIONS = ["set", "pause", "resume", "block", "complete", "note", "clear"] as const;

/** `/goal [set|pause|resume|block|complete|note|clear] [text]`: the session's one durable objective (ST-41). */
export const goalCommand = defineCommand({
  name: "goal",
  group: "session",
  summary: sessionTexts.goal.summary,
  arguments: [
    { name: "action", description: sessionTexts.goal.action, choices: ACTIONS },
    { name: "text", description: sessionTexts.goal.text, rest: true },
  ],
  input: z.object({ action: z.enum(ACTIONS).optional(), text: z.string().optional() }),
  role: "user",
  execute: async ({ action, text }, context) => {
    const { session } = await ownSession(context);
    if (action === undefined) return { text: session.goal === null ? sessionTexts.goal.none : goalText(session.goal) };
    const limit = action === "set" ? MAX_OBJECTIVE : MAX_GOAL_NOTE;
    if (text !== undefined && text.length > limit) return { text: sessionTexts.goal.tooLong(limit), private: true };
    const change = changeOf(action, text);
    return change === null ? { text: sessionTexts.goal.textMissing(action), private: true } : apply(change, context);
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
  if (done.result !== "set") return { text: sessionTexts.goal.noneYet };
  return { text: done.goal === null ? sessionTexts.goal.removed : goalText(done.goal) };
}

function goalText({ objective, state, note }: Goal): string {
  return sessionTexts.goal.is(state, objective, note);
}
