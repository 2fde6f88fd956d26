import type { AgentId } from "../core/ids.ts";
import type { Settings } from "../core/settings.ts";

/** How long after its end a sub-agent of an agent is archived, in milliseconds; null: never (`archiveAfterMinutes: 0`, SB-4). */
export function archiveAfterOf(settings: Settings, agentId: AgentId): number | null {
  const ms = settings.agents.get(agentId)?.subagents.archiveAfterMs ?? 0;
  return ms === 0 ? null : ms;
}
