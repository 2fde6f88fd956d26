/** Ids are strings; these names say which one is meant. Platform ids are kept exactly as the platform gives them (SK-2). */
export type ChannelId = string;
export type AccountId = string;
export type AgentId = string;
/** One life of a session between two resets (uuid). */
export type SessionId = string;
export type TurnId = string;
export type RunId = string;
/** The model's own id of one tool call; the idempotency key of everything the call does. */
export type CallId = string;

/** Agent ids, channel names and account ids (SK-2). */
export const NAME_PATTERN = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const RESERVED_NAMES: readonly string[] = ["direct", "group", "channel", "main"];

/** True when `name` may be a channel name or an account id (SK-2): reserved words would make a key ambiguous. */
export function isName(name: string): boolean {
  return NAME_PATTERN.test(name) && !RESERVED_NAMES.includes(name);
}

/** True when `name` may be an agent id (SK-2). An agent may be called `main`: its place in a key is fixed. */
export function isAgentId(name: string): boolean {
  return NAME_PATTERN.test(name);
}

export const DEFAULT_ACCOUNT: AccountId = "default";

/** True when a name written in the configuration means `name`; `*` stands for any run of characters (TP-2). */
export function matchesName(pattern: string, name: string): boolean {
  if (!pattern.includes("*")) return pattern === name;
  const [first = "", ...rest] = pattern.split("*");
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const [index, piece] of rest.entries()) {
    const last = index === rest.length - 1;
    const found = last ? name.length - piece.length : name.indexOf(piece, at);
    if (found < at || !name.startsWith(piece, found)) return false;
    at = found + piece.length;
  }
  return true;
}

/**
 * Part of a key that `/` separates. A platform's id may hold anything, also half of a surrogate pair, which has no bytes: it counts as the
 * replacement character, since an event without a key could neither be stored nor set aside (FC-405).
 */
export function encodeId(id: string): string {
  return encodeURIComponent(String(id).toWellFormed());
}

/** How people write an account: `telegram/second`. */
export function accountName(account: { readonly channel: ChannelId; readonly accountId: AccountId }): string {
  return `${account.channel}/${account.accountId}`;
}
