import { z } from "zod";
import { ToolError } from "../../core/errors.ts";
import { agentTexts } from "../../core/texts/commands/agents.ts";
import { type CommandContext, defineCommand } from "../command.ts";
import { takeWord } from "../parse-arguments.ts";
import { infoOf, killTarget, listHere, logOf, retryResult, steerOne } from "./subagent-actions.ts";
import { spawnHere } from "./subagent-spawn.ts";

const texts = agentTexts.subagents;
const ACTIONS = ["list", "info", "log", "steer", "kill", "retry", "spawn"] as const;

/** `/subagents list|info|log|steer|kill|retry|spawn …` for the session of the conversation it is typed in (SB-3). */
export const subagents = defineCommand({
  name: "subagents",
  group: "sub-agents",
  summary: texts.summary,
  arguments: [
    { name: "action", description: agentTexts.action, choices: ACTIONS },
    {
      name: "rest",
      description: texts.rest,
      rest: true,
    },
  ],
  input: z.object({ action: z.enum(ACTIONS).default("list"), rest: z.string().default("") }),
  role: "user",
  execute: async ({ action, rest }, context) => ({ text: await answerText(action, rest, context) }),
});

function answerText(action: (typeof ACTIONS)[number], rest: string, context: CommandContext): Promise<string> {
  switch (action) {
    case "list":
      return listHere(context);
    case "info":
      return infoOf(named(rest, action), context);
    case "log":
      return logOf(named(rest, action), context);
    case "kill":
      return killTarget(named(rest, action), context);
    case "retry":
      return retryResult(named(rest, action), context);
    case "steer": {
      const [target, message] = takeWord(rest.trimStart());
      if (target === "" || message.trim() === "") throw new ToolError(texts.usageSteer);
      return steerOne(target, message, context);
    }
    case "spawn":
      return spawnHere(rest, context);
  }
}

function named(rest: string, action: string): string {
  const [word, more] = takeWord(rest.trim());
  const target = more === "" ? word : rest.trim();
  if (target === "") throw new ToolError(texts.usage(action), { hint: texts.usageHint });
  return target;
}
