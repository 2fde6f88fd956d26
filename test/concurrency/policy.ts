/** The agents of a trial, each with its own bot and its own range of sight, so that every mode is at work beside the others. */
export const AGENTS = ["own", "tree", "kin", "wide", "open"] as const;
export type AgentName = (typeof AGENTS)[number];

const SIGHT: Readonly<Record<AgentName, "self" | "tree" | "agent" | "all">> = {
  own: "self",
  tree: "tree",
  kin: "agent",
  wide: "all",
  open: "all",
};
/** Agents that may talk to each other; the others are hidden from everybody but themselves. */
const REACHABLE: readonly AgentName[] = ["wide", "open", "kin"];

export const LIMITS = { children: 3, depth: 3, childTurns: 6, turns: 8, pingPong: 2, queue: 6, hops: 20 } as const;

/** The configuration a trial runs with. */
export function configuration(at: {
  readonly telegram: string;
  readonly model: string;
  readonly tokenOf: (agent: AgentName) => string;
}): object {
  const accounts = Object.fromEntries(AGENTS.map((agent) => [agent, { botToken: at.tokenOf(agent) }]));
  const telegram = { apiRoot: at.telegram, dmPolicy: "open", allowFrom: ["*"], pacing: false, streaming: "off" };
  return {
    logging: { level: "info" },
    models: { providers: { emulated: { type: "openai-compatible", baseUrl: at.model, apiKey: "none" } } },
    agents: {
      defaults: {
        model: "emulated/small",
        maxConcurrent: LIMITS.turns,
        subagents: {
          maxSpawnDepth: LIMITS.depth,
          maxChildrenPerAgent: LIMITS.children,
          maxConcurrent: LIMITS.childTurns,
          allowAgents: ["*"],
        },
      },
      entries: Object.fromEntries(
        AGENTS.map((agent, index) => [
          agent,
          {
            ...(index === 0 ? { default: true } : {}),
            instructions: "You help in a test.",
            tools: { sessions: { visibility: SIGHT[agent] } },
          },
        ]),
      ),
    },
    tools: { agentToAgent: { enabled: true, allow: REACHABLE } },
    // Its messages set off more than any honest one does.
    session: {
      agentToAgent: { maxPingPongTurns: LIMITS.pingPong },
      chains: { maxTurns: 1_000_000, maxModelCalls: 1_000_000, maxTokens: 0 },
    },
    messages: { queue: { cap: LIMITS.queue } },
    bindings: AGENTS.map((agentId) => ({ agentId, match: { channel: "telegram", accountId: agentId } })),
    limits: { perSender: { perMinute: 0 } },
    channels: { web: { enabled: true }, telegram: { ...telegram, accounts } },
  };
}

export function agentOfKey(key: string): string {
  return key.split(":")[1] ?? "";
}

/**
 * VS-1 said once more, apart from the product: may a session see another one? `parents` leads from a spawned session to its
 * spawner, of sessions that are gone too.
 */
export function maySee(viewer: string, target: string, parents: ReadonlyMap<string, string>): boolean {
  if (viewer === target) return true;
  const own = agentOfKey(viewer) as AgentName;
  const other = agentOfKey(target) as AgentName;
  if (SIGHT[own] === "self") return false;
  for (let up = parents.get(target); up !== undefined; up = parents.get(up)) if (up === viewer) return true;
  switch (SIGHT[own]) {
    case "tree":
      return false;
    case "agent":
      return own === other;
    case "all":
      return own === other || (REACHABLE.includes(own) && REACHABLE.includes(other));
  }
}

/** Control follows lineage in every mode. */
export function isBelow(viewer: string, target: string, parents: ReadonlyMap<string, string>): boolean {
  for (let up = parents.get(target); up !== undefined; up = parents.get(up)) if (up === viewer) return true;
  return false;
}
