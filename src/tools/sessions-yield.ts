import { z } from "zod";
import { ToolError } from "../core/errors.ts";
import { yieldTexts } from "../core/texts/agent/tools/sessions-yield.ts";
import { openChildren } from "../store/reads/runs/runs.ts";
import { defineTool } from "./tool.ts";

const input = z.object({
  message: z.string().optional().describe(yieldTexts.message),
  wait: z.enum(["all", "each"]).default("all").describe(yieldTexts.wait),
});

const output = z.object({ status: z.literal("yielded"), waitingFor: z.int(), wait: z.enum(["all", "each"]) });

/** CP-8. The wait itself is stored by the step that ends the turn. */
export const sessionsYield = defineTool({
  name: "sessions_yield",
  description: yieldTexts.description,
  group: "sessions",
  profiles: ["coding"],
  subagents: "spawners",
  input,
  output,
  otherNames: { synonyms: { note: "message" } },
  execute: async ({ message, wait }, { store, session }) => {
    const waitingFor = await store.read(openChildren, session.key);
    if (waitingFor === 0) {
      throw new ToolError(yieldTexts.nothing, { hint: yieldTexts.nothingHint });
    }
    return { result: { status: "yielded", waitingFor, wait }, ends: { wait, note: message?.trim() || null } };
  },
});
