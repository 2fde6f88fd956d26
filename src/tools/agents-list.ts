import { z } from "zod";
import { ToolError } from "../core/errors.ts";
import { modelRefText } from "../core/models.ts";
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
  description: "Lists the agents that this session may spawn as sub-agents, each with the model it works with.",
  group: "sessions",
  profiles: ["coding"],
  subagents: "none",
  input: z.object({}),
  output,
  execute: async (_args, { settings, session }) => {
    const requester = settings.agents.get(session.agentId);
    if (requester === undefined) throw new ToolError(`agent "${session.agentId}" is not configured any more`);
    const agents = spawnableAgents(settings, requester).map((agent) => ({
      id: agent.id,
      name: agent.name,
      model: modelRefText(agent.subagents.model ?? agent.model),
    }));
    return { result: { status: "ok", requester: requester.id, agents } };
  },
});
