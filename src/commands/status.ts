import { z } from "zod";
import { statusCard } from "../sessions/status-card.ts";
import { statusFacts } from "../sessions/status-facts.ts";
import { defineCommand } from "./command.ts";
import { ownSession } from "./own-session.ts";

/** `/status`: the card that `session_status` gives agents (ST-30). */
export const status = defineCommand({
  name: "status",
  group: "session",
  summary: "Model, tokens, queue and helpers of this session",
  arguments: [],
  input: z.object({}),
  role: "user",
  execute: async (_args, context) => {
    const { store, settings, version, clock } = context.services;
    const own = await ownSession(context);
    return { text: statusCard(await statusFacts({ store, settings, version, now: clock.now(), ...own })) };
  },
});
