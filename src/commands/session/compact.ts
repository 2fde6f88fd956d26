import { z } from "zod";
import { defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

/** `/compact [instructions]`: summarises what came before the newest message now (TN-12). */
export const compactCommand = defineCommand({
  name: "compact",
  group: "session",
  summary: "Summarise the older part of this session, so that it takes less room",
  arguments: [{ name: "instructions", description: "what the summary is to look to", rest: true }],
  input: z.object({ instructions: z.string().optional() }),
  role: "user",
  long: true,
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
          text: `Summarised ${done.messages} messages; the context is now about ${done.tokens.toLocaleString("en-US")} tokens. Nothing is deleted.`,
        };
      case "nothing":
        return { text: "There is nothing to summarise yet." };
      case "done_before":
        return { text: "The older part of this session is summarised." };
      case "daily_limit":
        return { text: "The limit for today is reached, and a summary costs a model call. It can be made tomorrow." };
      case "failed":
        return { text: "No summary could be made just now; nothing was changed. Please try again in a moment." };
    }
  },
});
