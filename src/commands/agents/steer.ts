import { z } from "zod";
import { agentTexts } from "../../core/texts/commands/agents.ts";
import { defineCommand } from "../command.ts";
import { steerOne } from "./subagent-actions.ts";

/** `/steer <target> <text>`, also `/tell` (SB-2, SB-3): guidance a running sub-agent reads at its next step. */
export const steerCommand = defineCommand({
  name: "steer",
  aliases: ["tell"],
  group: "sub-agents",
  summary: agentTexts.steer.summary,
  arguments: [
    { name: "target", description: agentTexts.target, required: true, suggests: "sub-agent" },
    { name: "text", description: agentTexts.steer.text, required: true, rest: true },
  ],
  input: z.object({ target: z.string(), text: z.string() }),
  role: "user",
  execute: async ({ target, text }, context) => ({ text: await steerOne(target, text, context) }),
});
