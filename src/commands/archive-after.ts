import type { AgentId } from "../core/ids.ts";
import type { Settings } from "../core/settings.ts";

/** When an agent's ended sub-agents are archived, in milliseconds; null: never (SB-4). */
export function archiveAfter(settings: Settings, agentId: AgentId): number | null {
  const ms = settings.agents.get(agentId)?.subagents.archiveAfterMs ?? 0;
  return ms === 0 ? null : ms;
}
