import type { Visibility } from "../../settings.ts";

/** What a session that is named in a call can be, and why it cannot be reached (SK-6, VS-2, VS-3). */
export const targetTexts = {
  parameter: "A session key or session id from sessions_list, or `current`, `main`, `parent`.",
  none: "no session was named",
  noneHint: "give sessionKey or label",
  reserved: (word: string): string => `"${word}" is a reserved word, not a session`,
  reservedHint: "use a key from sessions_list",
  noParent: "this session has no parent: nothing spawned it",
  caseDiffers: (wanted: string, real: string): string =>
    `no session "${wanted}"; keys are exact: the session is ${real}`,
  ambiguous: (label: string, keys: readonly string[]): string =>
    `the label "${label}" fits several sessions: ${keys.join(", ")}`,
  useKey: "use the key",
  hidden: (reference: string): string => `no session "${reference}" that this session may see`,
  hiddenHint: (wider: string): string =>
    wider === "" ? "sessions_list shows what you can see." : `sessions_list shows what you can see. ${wider}`,
  unconfiguredAgent: (agent: string): string => `agent "${agent}" is not configured any more`,
};

export const visibilityTexts = {
  range: {
    self: "Only this session is visible.",
    tree: "Only this session and its sub-agents are visible.",
    agent: "Only the sessions of this agent and this session's sub-agents are visible.",
    all: "Sessions of agents that tools.agentToAgent does not allow are not visible.",
  } satisfies Record<Visibility, string>,
  withHint: (range: string, hint: string): string => (hint === "" ? range : `${range} ${hint}`),
  needs: (settings: readonly string[]): string =>
    settings.length === 0 ? "" : `To see more, the operator sets ${settings.join(", ")}.`,
  mode: (mode: Visibility): string => `tools.sessions.visibility ${mode === "agent" ? "" : '"agent" or '}"all"`,
  enabled: "for other agents tools.agentToAgent.enabled",
  allow: (enabled: boolean): string => `${enabled ? "for other agents " : ""}both agents in tools.agentToAgent.allow`,
};
