import { z } from "zod";
import { sessionTexts } from "../../core/texts/commands/session.ts";
import { setSessionSetting } from "../../store/steps/sessions/set-session-setting.ts";
import { defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

/** `/verbose [on|off]` (CM-10): whether people here see the calls of tools as they run, and above the answer. */
export const verbose = defineCommand({
  name: "verbose",
  group: "model",
  summary: sessionTexts.verbose.summary,
  arguments: [{ name: "switch", description: sessionTexts.shownOrHidden, choices: ["on", "off"] }],
  input: z.object({ switch: z.enum(["on", "off"]).optional() }),
  role: "user",
  execute: async ({ switch: wanted }, context) => {
    const { session } = await ownSession(context);
    if (wanted === undefined)
      return { text: session.verbose ? sessionTexts.verbose.shown : sessionTexts.verbose.hidden };
    const value = wanted === "on";
    await context.services.store.step(setSessionSetting, { key: session.key, setting: { name: "verbose", value } });
    return { text: value ? sessionTexts.verbose.nowShown : sessionTexts.verbose.nowHidden };
  },
});
