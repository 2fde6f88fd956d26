import type { Settings } from "../core/settings.ts";
import { type AgentRules, agentRules } from "./agent-rules.ts";
import { type RoleLists, roleLists } from "./roles.ts";

/** Everything the way in looks up in the settings, prepared once per settings and not per message. */
export interface RoutingIndex {
  readonly settings: Settings;
  readonly agents: AgentRules;
  readonly roles: RoleLists;
}

export function routingIndex(settings: Settings): RoutingIndex {
  return { settings, agents: agentRules(settings), roles: roleLists(settings) };
}
