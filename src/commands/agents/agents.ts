import { z } from "zod";
import { modelRefText } from "../../core/models.ts";
import { agentTexts } from "../../core/texts/commands/agents.ts";
import { spawnableAgents } from "../../subagents/spawn.ts";
import { defineCommand } from "../command.ts";
import { ownSession } from "../session/own-session.ts";
import { boundList } from "./bound-list.ts";
import { listHere } from "./subagents.ts";

/** `/agents`: the runs of this conversation's session, the threads bound to its tree, and the agents it may start (TB-5). */
export const agentsCommand = defineCommand({
  name: "agents",
  group: "sub-agents",
  summary: agentTexts.agents.summary,
  arguments: [],
  input: z.object({}),
  role: "user",
  execute: async (_args, context) => {
    const { agent } = await ownSession(context);
    const known = spawnableAgents(context.services.settings, agent).map(
      ({ id, name, model }) => `- ${name === id ? id : `${name} (${id})`}, \`${modelRefText(model)}\``,
    );
    const bound = await boundList(context);
    return { text: [await listHere(context), ...bound, "", agentTexts.agents.available, ...known].join("\n") };
  },
});
