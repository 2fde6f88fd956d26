import { z } from "zod";
import { ToolError } from "../core/errors.ts";
import { openChildren } from "../store/reads/runs/runs.ts";
import { defineTool } from "./tool.ts";

const input = z.object({
  message: z.string().optional().describe("A note to yourself, read when the turn goes on."),
  wait: z
    .enum(["all", "each"])
    .default("all")
    .describe("all: go on when the last sub-agent has ended; each: whenever one has."),
});

const output = z.object({ status: z.literal("yielded"), waitingFor: z.int(), wait: z.enum(["all", "each"]) });

/** CP-8. The wait itself is stored by the step that ends the turn. */
export const sessionsYield = defineTool({
  name: "sessions_yield",
  description:
    "Ends this turn and waits for the sub-agents that are still at work. Their results start the next turn; a person's message does so too. An error when nothing is at work.",
  group: "sessions",
  profiles: ["coding"],
  subagents: "spawners",
  input,
  output,
  execute: async ({ message, wait }, { store, session }) => {
    const waitingFor = await store.read(openChildren, session.key);
    if (waitingFor === 0) {
      throw new ToolError("there is no unfinished sub-agent to wait for", { hint: "go on with your answer" });
    }
    return { result: { status: "yielded", waitingFor, wait }, ends: { wait, note: message?.trim() || null } };
  },
});
