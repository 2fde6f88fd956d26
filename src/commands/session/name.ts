import { z } from "zod";
import { sessionTexts } from "../../core/texts/commands/session.ts";
import { setSessionSetting } from "../../store/steps/sessions/set-session-setting.ts";
import { defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

const LONGEST = 80;

/** `/name [title]`: the name lists and searches show this session by. */
export const name = defineCommand({
  name: "name",
  group: "session",
  summary: sessionTexts.name.summary,
  arguments: [{ name: "title", description: sessionTexts.name.title(LONGEST), rest: true }],
  input: z.object({ title: z.string().optional() }),
  role: "user",
  execute: async ({ title }, context) => {
    const { session } = await ownSession(context);
    if (title === undefined) {
      return {
        text: session.displayName === null ? sessionTexts.name.none : sessionTexts.name.is(session.displayName),
      };
    }
    const value = title.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
    const length = [...new Intl.Segmenter().segment(value)].length;
    if (length > LONGEST) return { text: sessionTexts.name.tooLong(LONGEST, length), private: true };
    await context.services.store.step(setSessionSetting, { key: session.key, setting: { name: "displayName", value } });
    return { text: sessionTexts.name.set(value) };
  },
});
