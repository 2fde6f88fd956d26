/** What removed a tool when it was no configuration key: shown by `/tools verbose` and session_status (TP-3). */
export const policyLayer = {
  profile: (profile: string): string => `profile ${profile}`,
  place: (channel: string, id: string): string => `tools of ${channel} ${id}`,
  owners: "owners only",
  subagents: "sub-agents",
  leaves: (maxSpawnDepth: number): string => `sub-agents at maxSpawnDepth ${maxSpawnDepth}`,
};
