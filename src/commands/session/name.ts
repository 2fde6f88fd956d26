import { z } from "zod";
import { setSessionSetting } from "../../store/steps/sessions/set-session-setting.ts";
import { defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

const LONGEST = 80;

/** `/name [title]`: the name lists and searches show this session by. */
export const name = defineCommand({
  name: "name",
  group: "session",
  summary: "Give this session a name",
  arguments: [{ name: "title", description: `one line, at most ${LONGEST} characters`, rest: true }],
  input: z.object({ title: z.string().optional() }),
  role: "user",
  execute: async ({ title }, context) => {
    const { session } = await ownSession(context);
    if (title === undefined) {
      const text =
        session.displayName === null ? "This session has no name." : `Its name is ${quoted(session.displayName)}.`;
      return { text };
    }
    const value = title.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
    const length = [...new Intl.Segmenter().segment(value)].length;
    if (length > LONGEST)
      return { text: `A name has at most ${LONGEST} characters; this one has ${length}.`, private: true };
    await context.services.store.step(setSessionSetting, { key: session.key, setting: { name: "displayName", value } });
    return { text: `This session is now called ${quoted(value)}.` };
  },
});

function quoted(value: string): string {
  return `“${value}”`;
}
