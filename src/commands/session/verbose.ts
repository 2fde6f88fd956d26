import { z } from "zod";
import { setSessionSetting } from "../../store/steps/sessions/set-session-setting.ts";
import { defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

/** `/verbose [on|off]` (CM-10): whether people here see the calls of tools as they run, and above the answer. */
export const verbose = defineCommand({
  name: "verbose",
  group: "model",
  summary: "Show or hide the tool calls here as they run",
  arguments: [{ name: "switch", description: "shown or hidden", choices: ["on", "off"] }],
  input: z.object({ switch: z.enum(["on", "off"]).optional() }),
  role: "user",
  execute: async ({ switch: wanted }, context) => {
    const { session } = await ownSession(context);
    if (wanted === undefined) return { text: `Tool calls are ${session.verbose ? "shown" : "hidden"}.` };
    const value = wanted === "on";
    await context.services.store.step(setSessionSetting, { key: session.key, setting: { name: "verbose", value } });
    return { text: value ? "Tool calls are shown from the next turn on." : "Tool calls are hidden from now on." };
  },
});
