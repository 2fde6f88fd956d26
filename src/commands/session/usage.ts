import { z } from "zod";
import { USAGE_LINES } from "../../core/session/session.ts";
import { sessionTexts } from "../../core/texts/commands/session.ts";
import { setSessionSetting } from "../../store/steps/sessions/set-session-setting.ts";
import { defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

/** `/usage [off|tokens|full]` (CM-10): the line below each answer here that says what it took. */
export const usageCommand = defineCommand({
  name: "usage",
  group: "model",
  summary: sessionTexts.usage.summary,
  arguments: [{ name: "line", description: sessionTexts.usage.line, choices: USAGE_LINES }],
  input: z.object({ line: z.enum(USAGE_LINES).optional() }),
  role: "user",
  execute: async ({ line }, context) => {
    const { session } = await ownSession(context);
    if (line === undefined) return { text: sessionTexts.usage.is[session.usageLine] };
    await context.services.store.step(setSessionSetting, { key: session.key, setting: { name: "usage", value: line } });
    return { text: sessionTexts.usage.is[line] };
  },
});
