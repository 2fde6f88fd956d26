import { z } from "zod";
import { THINKING_LEVELS } from "../../core/session/session.ts";
import { sessionTexts } from "../../core/texts/commands/session.ts";
import { setSessionSetting } from "../../store/steps/sessions/set-session-setting.ts";
import { defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

const CHOICES = [...THINKING_LEVELS, "default"] as const;

/**
 * `/think [level|default]`: how much the model thinks in this session. In front of a message it holds for that message only
 * (CM-7); then it is no command.
 */
export const think = defineCommand({
  name: "think",
  group: "model",
  summary: sessionTexts.think.summary,
  arguments: [{ name: "level", description: sessionTexts.think.level, choices: CHOICES }],
  input: z.object({ level: z.enum(CHOICES).optional() }),
  role: "user",
  execute: async ({ level }, context) => {
    const { session, agent } = await ownSession(context);
    const texts = sessionTexts.think;
    const ofAgent = agent.thinking ?? texts.modelDefault;
    if (level === undefined) {
      return { text: session.thinking === null ? texts.ofAgent(ofAgent) : texts.setHere(session.thinking) };
    }
    const value = level === "default" ? null : level;
    await context.services.store.step(setSessionSetting, { key: session.key, setting: { name: "thinking", value } });
    return {
      text: value === null ? texts.reset(ofAgent) : texts.set(value),
    };
  },
});
