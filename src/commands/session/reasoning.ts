import { z } from "zod";
import { sessionTexts } from "../../core/texts/commands/session.ts";
import { setSessionSetting } from "../../store/steps/sessions/set-session-setting.ts";
import { defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

/** `/reasoning on|off`: whether people here see the model's reasoning above its answers (DL-10). */
export const reasoning = defineCommand({
  name: "reasoning",
  group: "model",
  summary: sessionTexts.reasoning.summary,
  arguments: [{ name: "switch", description: sessionTexts.shownOrHidden, choices: ["on", "off"] }],
  input: z.object({ switch: z.enum(["on", "off"]).optional() }),
  role: "user",
  execute: async ({ switch: wanted }, context) => {
    const { session } = await ownSession(context);
    if (wanted === undefined)
      return { text: session.showReasoning ? sessionTexts.reasoning.shown : sessionTexts.reasoning.hidden };
    const value = wanted === "on";
    await context.services.store.step(setSessionSetting, { key: session.key, setting: { name: "reasoning", value } });
    return { text: value ? sessionTexts.reasoning.nowShown : sessionTexts.reasoning.nowHidden };
  },
});
