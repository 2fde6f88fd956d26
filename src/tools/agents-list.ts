import { z } from "zod";
import { ToolError } from "../core/errors.ts";
import { modelRefText } from "../core/models.ts";
import { targetTexts } from "../core/texts/agent/tool-calls.ts";
import { agentsListTexts } from "../core/texts/agent/tools/agents-list.ts";
import { spawnableAgents } from "../subagents/spawn.ts";
import { defineTool } from "./tool.ts";

const output = z.object({
  status: z.literal("ok"),
  requester: z.string(),
  agents: z.array(z.object({ id: z.string(), name: z.string(), model: z.string() })),
});

/** SP-8. */
export const agentsList = defineTool({
  name: "agents_list",
  description: agentsListTexts.description,
  group: "sessions",
  profiles: ["coding"],
  subagents: "none",
  input: z.object({}),
  output,
  execute: async (_args, { settings, session }) => {
    const requester = settings.agents.get(session.agentId);
    if (requester === undefined) throw new ToolError(targetTexts.unconfiguredAgent(session.agentId));
    const agents = spawnableAgents(settings, requester).map((agent) => ({
      id: agent.id,
      name: agent.name,
      model: modelRefText(agent.subagents.model ?? agent.model),
    }));
    return { result: { status: "ok", requester: requester.id, agents } };
  },
});
