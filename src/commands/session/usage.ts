import { z } from "zod";
import { USAGE_LINES, type UsageLine } from "../../core/session/session.ts";
import { setSessionSetting } from "../../store/steps/sessions/set-session-setting.ts";
import { defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

const MEANING: Record<UsageLine, string> = {
  off: "Answers say nothing of what they took",
  tokens: "Answers end with their tokens",
  full: "Answers end with model, tokens, cost where prices are configured, context and time",
};

/** `/usage [off|tokens|full]` (CM-10): the line below each answer here that says what it took. */
export const usageCommand = defineCommand({
  name: "usage",
  group: "model",
  summary: "What each answer here says of its tokens and cost",
  arguments: [{ name: "line", description: "what stands below an answer", choices: USAGE_LINES }],
  input: z.object({ line: z.enum(USAGE_LINES).optional() }),
  role: "user",
  execute: async ({ line }, context) => {
    const { session } = await ownSession(context);
    if (line === undefined) return { text: `${MEANING[session.usageLine]}.` };
    await context.services.store.step(setSessionSetting, { key: session.key, setting: { name: "usage", value: line } });
    return { text: `${MEANING[line]} from now on.` };
  },
});
