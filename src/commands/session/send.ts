import { z } from "zod";
import { sessionTexts } from "../../core/texts/commands/session.ts";
import { type SendDecision, sendDecision } from "../../sessions/send-policy.ts";
import { sessionByKey } from "../../store/reads/sessions/targets.ts";
import { setSessionSetting } from "../../store/steps/sessions/set-session-setting.ts";
import { defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

const CHOICES = ["on", "off", "inherit"] as const;

/** `/send on|off|inherit`: whether other sessions may send messages to this one (ST-22); `inherit`: as `session.sendPolicy` says. */
export const send = defineCommand({
  name: "send",
  group: "session",
  summary: sessionTexts.send.summary,
  arguments: [{ name: "switch", description: sessionTexts.send.switch, choices: CHOICES }],
  input: z.object({ switch: z.enum(CHOICES).optional() }),
  role: "owner",
  execute: async ({ switch: wanted }, context) => {
    const { store, settings } = context.services;
    const { session } = await ownSession(context);
    if (wanted !== undefined) {
      const value = wanted === "inherit" ? null : wanted === "on" ? "allow" : "deny";
      await store.step(setSessionSetting, { key: session.key, setting: { name: "sendPolicy", value } });
    }
    const now = (await store.read(sessionByKey, session.key)) ?? session;
    return { text: sentence(sendDecision(settings.session.sendPolicy, now)) };
  },
});

function sentence({ action, by }: SendDecision): string {
  const { allowedHere, deniedHere, allowed, denied } = sessionTexts.send;
  if (by === "session") return action === "allow" ? allowedHere : deniedHere;
  return action === "allow" ? allowed : denied;
}
