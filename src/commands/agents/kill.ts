import { z } from "zod";
import { agentTexts } from "../../core/texts/commands/agents.ts";
import { defineCommand } from "../command.ts";
import { killTarget } from "./subagent-actions.ts";

/** `/kill <target|all>` (SB-2, SB-3): ends a sub-agent and all it started. */
export const killCommand = defineCommand({
  name: "kill",
  group: "sub-agents",
  summary: agentTexts.kill.summary,
  arguments: [
    {
      name: "target",
      description: agentTexts.targetOrAll,
      required: true,
      rest: true,
      suggests: "sub-agent",
    },
  ],
  input: z.object({ target: z.string() }),
  role: "user",
  execute: async ({ target }, context) => ({ text: await killTarget(target, context) }),
});
