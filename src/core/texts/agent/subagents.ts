/** Why a sub-agent cannot be spawned (SP-1, SP-5, SP-6, SP-7), or which one a name means (SB-1). */
export const spawnTexts = {
  tooDeep: (depth: number, max: number): string =>
    `this session is at depth ${depth}, and subagents.maxSpawnDepth is ${max}`,
  sessionNeedsThread: 'mode "session" needs thread: true; nothing was spawned',
  sessionNeedsThreadHint: 'without a thread use mode "run"; you can still talk to it with sessions_send',
  forkOtherAgent: (agent: string): string =>
    `context "fork" works only for the same agent, and this task is for ${agent}`,
  forkOtherAgentHint: 'use context "isolated" and put everything it needs into the task',
  threadsOff: "session.threadBindings.spawnSessions is false: sub-agents get no threads",
  agentIdRequired: "subagents.requireAgentId is set: give an agentId",
  notAllowed: (agent: string, requester: string): string =>
    `agent "${agent}" is not in subagents.allowAgents of agent "${requester}"`,
  noAgent: (agent: string): string => `there is no agent "${agent}"`,
  maySpawn: (agents: readonly string[]): string => `you may spawn: ${agents.join(", ")}`,
  unknownModel: (model: string): string => `unknown model "${model}"`,
  closeModels: (models: readonly string[]): string => `did you mean ${models.join(" or ")}?`,
  modelForm: "write it as provider/model",
  full: (max: number, runs: readonly string[]): string =>
    `subagents.maxChildrenPerAgent is ${max}, and these runs use the slots: ${runs.join("; ")}`,
  holding: (name: string, id: string, state: string): string => `${name} (${id}, ${state})`,
  noConversation: "this turn answers in no conversation",
  bindingsOff: "threadBindings.enabled is false",
  noThreadHere: "no thread can be made here",
};

export const controlTexts = {
  none: (wanted: string): string => `no sub-agent "${wanted}" in this session's tree`,
  noRuns: "it has no active or recent sub-agents",
  runs: (runs: readonly string[]): string => `there are: ${runs.join(", ")}`,
  ambiguous: (wanted: string, ids: readonly string[]): string =>
    `"${wanted}" fits several sub-agents: ${ids.join(", ")}`,
  useRunId: "use the run id",
  ended: (id: string): string => `run ${id} has ended; it cannot be steered`,
  spawnAgain: "spawn a new one",
};
