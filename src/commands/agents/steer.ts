import { z } from "zod";
import { defineCommand } from "../command.ts";
import { steerOne } from "./subagent-actions.ts";

/** `/steer <target> <text>`, also `/tell` (SB-2, SB-3): guidance a running sub-agent reads at its next step. */
export const steerCommand = defineCommand({
  name: "steer",
  aliases: ["tell"],
  group: "sub-agents",
  summary: "Tell a running sub-agent something",
  arguments: [
    { name: "target", description: "its number, name or last", required: true, suggests: "sub-agent" },
    { name: "text", description: "what it shall know", required: true, rest: true },
  ],
  input: z.object({ target: z.string(), text: z.string() }),
  role: "user",
  execute: async ({ target, text }, context) => ({ text: await steerOne(target, text, context) }),
});
