import { z } from "zod";
import { setSessionSetting } from "../../store/steps/sessions/set-session-setting.ts";
import { defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

/** `/reasoning on|off`: whether people here see the model's reasoning above its answers (DL-10). */
export const reasoning = defineCommand({
  name: "reasoning",
  group: "model",
  summary: "Show or hide the model's reasoning here",
  arguments: [{ name: "switch", description: "shown or hidden", choices: ["on", "off"] }],
  input: z.object({ switch: z.enum(["on", "off"]).optional() }),
  role: "user",
  execute: async ({ switch: wanted }, context) => {
    const { session } = await ownSession(context);
    if (wanted === undefined) return { text: `Reasoning is ${session.showReasoning ? "shown" : "hidden"}.` };
    const value = wanted === "on";
    await context.services.store.step(setSessionSetting, { key: session.key, setting: { name: "reasoning", value } });
    return { text: value ? "Reasoning is shown from now on." : "Reasoning is hidden from now on." };
  },
});
