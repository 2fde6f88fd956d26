import type { Visibility } from "../../settings.ts";

/** What a model reads about a call that did not run, or did not end as it should (TN-2, TN-7, ST-43). */
export const callTexts = {
  noSuchTool: (name: string): string => `there is no tool "${name}" for you here`,
  turnedOff: (name: string): string => `the tool ${name} is turned off for you here`,
  didYouMean: (names: readonly string[]): string => `did you mean ${names.join(" or ")}?`,
  yourTools: (names: readonly string[]): string => `you have: ${names.join(", ") || "no tools"}`,
  unknownParameters: (tool: string, names: readonly string[]): string =>
    `${tool} has no parameter ${names.map((name) => JSON.stringify(name)).join(", ")}; nothing was done`,
  itsParameters: (names: readonly string[]): string => `its parameters: ${names.join(", ") || "none"}`,
  lowered: (name: string, from: number, to: number): string => `${name} ${from} is above the limit; ${to} was used`,
  notJson: (name: string): string => `the arguments of ${name} are not valid JSON`,
  invalidArgument: (field: string, why: string): string => `invalid argument ${field}: ${why}`,
  allArguments: "(arguments)",
  doesNotFit: "it does not fit the schema",
  internal: (name: string): string => `${name} failed for an internal reason`,
  internalHint: "try again later or go on without it",
  interrupted: (name: string): string => `Switchyard ended while ${name} ran; whether it ran to its end is unknown`,
  interruptedHint: "find out before you do it again",
  skipped: "a newer message came first",
};

/** ST-42. */
export const serverTexts = {
  away: (server: string): string => `the MCP server ${server} is not connected`,
  goOn: "go on without it",
  refused: (server: string, why: string): string => `the MCP server ${server} refused: ${why}`,
  timeout: (server: string, ms: number): string => `the MCP server ${server} did not answer within ${ms} ms`,
  lost: (server: string): string => `the connection to the MCP server ${server} was lost before it answered`,
  unknownOutcome: "whether the call took effect is unknown; find out before you do it again",
  unreadable: "the server's answer could not be read",
  failed: "the tool failed without saying why",
  unreadableBlock: "[content that cannot be read]",
  media: (type: string, mime: string, size: string): string => `[${type} ${mime}, ${size}, not shown]`,
  link: (uri: string, mime: string): string => `[link ${uri} ${mime}]`,
  otherContent: (type: string): string => `[content of type ${type}, not shown]`,
  resource: (uri: string): string => `resource ${uri}`,
  blob: (name: string, mime: string, size: string): string => `[${name} ${mime}, ${size}, not shown]`,
  description: (server: string, text: string): string => `MCP server ${server}: ${text}`,
  leftOut: {
    unnamed: "a tool without a name",
    one: (tool: string, why: string): string => `${tool}: ${why}`,
    twice: "it is listed twice",
    tooMany: (count: number, max: number, server: string): string =>
      `${count} beyond the first ${max}; choose with mcp.servers.${server}.tools`,
    noObject: "its input schema describes no object",
    noProperties: "its input schema has no readable properties",
    argumentName: (name: string): string => `models do not accept the name of its argument ${name}`,
    tooLarge: (bytes: number, max: number): string => `its input schema has ${bytes} bytes; the limit is ${max}`,
  },
  ending: {
    silent: "it does not answer",
    stopped: "it was stopped",
    tools: (why: string): string => `its tools could not be read: ${why}`,
    closed: "it closed the connection",
    fellSilent: "it stopped in the middle of an answer",
    tooLarge: "it sent a message that is too large",
    noise: "it writes lines that are not messages on its output",
    tooSlow: "its answer took too long",
    notStarted: (error: string): string => `it could not be started: ${error}`,
    code: (code: number | null): string => `it ended with code ${code}`,
    signal: (signal: string): string => `it was ended by ${signal}`,
  },
  wrote: (error: string, line: string): string => (line === "" ? error : `${error} (it wrote: ${line})`),
};

/** What removed a tool when it was no configuration key: shown by `/tools verbose` and session_status (TP-3). */
export const policyLayer = {
  profile: (profile: string): string => `profile ${profile}`,
  place: (channel: string, id: string): string => `tools of ${channel} ${id}`,
  owners: "owners only",
  subagents: "sub-agents",
  leaves: (maxSpawnDepth: number): string => `sub-agents at maxSpawnDepth ${maxSpawnDepth}`,
};

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
  needs: (settings: readonly string[]): string =>
    settings.length === 0 ? "" : `To see more, the operator sets ${settings.join(", ")}.`,
  mode: (mode: Visibility): string => `tools.sessions.visibility ${mode === "agent" ? "" : '"agent" or '}"all"`,
  enabled: "for other agents tools.agentToAgent.enabled",
  allow: (enabled: boolean): string => `${enabled ? "for other agents " : ""}both agents in tools.agentToAgent.allow`,
};
