import { z } from "zod";
import { sessionTexts } from "../../core/texts/commands/session.ts";
import { defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

/** `/compact [instructions]`: summarises what came before the newest message now (TN-12). */
export const compactCommand = defineCommand({
  name: "compact",
  group: "session",
  summary: sessionTexts.compact.summary,
  arguments: [{ name: "instructions", description: sessionTexts.compact.instructions, rest: true }],
  input: z.object({ instructions: z.string().optional() }),
  role: "user",
  long: true,
  startsWork: () => true,
  execute: async ({ instructions }, context) => {
    const { session } = await ownSession(context);
    const { services, cause, sender, signal } = context;
    const done = await services.compact({
      session,
      instructions: instructions ?? null,
      cause,
      actor: sender.id,
      signal,
    });
    switch (done.result) {
      case "compacted":
        return {
          text: sessionTexts.compact.done(done.messages, done.tokens.toLocaleString("en-US")),
        };
      case "nothing":
        return { text: sessionTexts.compact.nothing };
      case "done_before":
        return { text: sessionTexts.compact.doneBefore };
      case "daily_limit":
        return { text: sessionTexts.compact.dailyLimit };
      case "failed":
        return { text: sessionTexts.compact.failed };
    }
  },
});
