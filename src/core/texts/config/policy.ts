/* The access policy in words: one line for each account, at start and by `config check`. */

export function policyLine(account: string, direct: string, groups: string, bots: string): string {
  return `${account}: direct messages: ${direct}; groups: ${groups}; bots: ${bots}`;
}

export const NO_ONE = "no one";
export const EVERYONE = "everyone";
export const EMPTY_LIST = "no one (allowFrom is empty)";
export const PAIRED = "paired people";

export function onlyThese(ids: readonly string[]): string {
  return ids.length === 0 ? NO_ONE : `only ${ids.join(", ")}`;
}

export function theseAndPaired(ids: readonly string[]): string {
  return `${ids.join(", ")} and paired people`;
}

export const GROUPS_NONE = "none";
export const GROUPS_NONE_LISTED = "none (the list is empty)";
export const GROUPS_ALL = "all, without a mention";
export const GROUPS_WHEN_MENTIONED = "all, when mentioned";
export const OTHER_PLACES = "all others";

export const PLACE_OFF = "disabled";
export const PLACE_WITHOUT_MENTION = "without a mention";

export function placeRoles(roles: readonly string[]): string {
  return `roles ${roles.join(", ") || "none"}`;
}

export function placeAgent(agentId: string): string {
  return `agent ${agentId}`;
}

export function placeLine(name: string, facts: readonly string[]): string {
  return facts.length === 0 ? name : `${name} (${facts.join("; ")})`;
}

export const BOTS_IGNORED = "ignored";
export const BOTS_MENTIONING = "answered when they mention the bot";
export const BOTS_ANSWERED = "answered";
