/** The status card of a session (ST-30): `/status` for people, `session_status` for agents. */
export const statusCardTexts = {
  labels: {
    name: "Name",
    session: "Session",
    sessionId: "Session id",
    agent: "Agent",
    runtime: "Runtime",
    model: "Model",
    thinking: "Thinking",
    tokens: "Tokens",
    context: "Context",
    compactions: "Compactions",
    cost: "Cost",
    time: "Time",
    queue: "Queue",
    subagents: "Sub-agents",
    automaticTurns: "Automatic turns",
    goal: "Goal",
    stateVersion: "State version",
  },
  pinned: ", pinned",
  archived: ", archived",
  runningFor: (state: string, seconds: number): string => `${state} for ${seconds} s`,
  model: (ref: string, why: "override" | "agent" | "default"): string => `\`${ref}\` (${MODEL_WHY[why]})`,
  /** `level` null: the model decides. */
  thinking: (facts: {
    readonly level: string | null;
    readonly why: "session" | "agent" | "model";
    readonly shown: boolean;
  }): string =>
    `${facts.level ?? "default"}${THINKING_WHY[facts.why]}, ${facts.shown ? "reasoning shown" : "reasoning hidden"}`,
  tokens: (input: string, output: string, cached: string): string => `${input} in, ${output} out, ${cached} cached`,
  context: (used: string, window: string, percent: number): string => `${used} of ${window} tokens (${percent} %)`,
  queue: (mode: string, waiting: number): string => `${mode}, ${waiting} waiting`,
  subagents: (running: number, background: number): string =>
    background === 0
      ? `${running} running`
      : `${running} running, ${background} other ${background === 1 ? "run" : "runs"} in the background`,
};

const MODEL_WHY = { override: "set for this session", agent: "set for the agent", default: "default" };
const THINKING_WHY = { session: " (set for this session)", agent: " (set for the agent)", model: "" };
