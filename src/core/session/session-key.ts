import { type AccountId, type AgentId, type ChannelId, DEFAULT_ACCOUNT, isAgentId, isName } from "../ids.ts";

declare const brand: unique symbol;
/** The address of a session (SK-1). Only this file builds or parses one. */
export type SessionKey = string & { readonly [brand]: "SessionKey" };

/** The suffix of a thread-scoped key (SK-5): `:thread:<id>` or, for a Telegram forum topic, `:topic:<id>`. */
export interface ThreadPart {
  readonly kind: "thread" | "topic";
  readonly id: string;
}

export type SessionKeyParts =
  | { readonly kind: "main"; readonly agentId: AgentId; readonly thread: ThreadPart | null }
  | {
      readonly kind: "direct";
      readonly agentId: AgentId;
      /** null under `dmScope: per-peer`. */
      readonly channel: ChannelId | null;
      /** Set only under `per-account-channel-peer`. */
      readonly accountId: AccountId | null;
      readonly peerId: string;
      readonly thread: ThreadPart | null;
    }
  | {
      readonly kind: "group" | "channel";
      readonly agentId: AgentId;
      readonly channel: ChannelId;
      /** `default` is not written into the key. */
      readonly accountId: AccountId;
      readonly id: string;
      readonly thread: ThreadPart | null;
    }
  | { readonly kind: "subagent" | "acp" | "cron" | "hook" | "node"; readonly agentId: AgentId; readonly id: string };

/** What `sessions_list` filters by (SK-4). */
export type SessionKind = "main" | "group" | "cron" | "hook" | "node" | "other";

const STANDALONE = ["subagent", "acp", "cron", "hook", "node"] as const;
const CHATS = ["direct", "group", "channel"] as const;

const encode = (id: string): string => id.replaceAll("%", "%25").replaceAll(":", "%3A");
const decode = (id: string): string => id.replaceAll("%3A", ":").replaceAll("%25", "%");

function oneOf<T extends string>(values: readonly T[], value: string | undefined): value is T {
  return (values as readonly (string | undefined)[]).includes(value);
}

/** Builds the key of valid parts. Throws on an empty id or a name that SK-2 does not allow: that is a programming error. */
export function buildSessionKey(parts: SessionKeyParts): SessionKey {
  if (!isAgentId(parts.agentId)) throw new Error(`invalid agent id "${parts.agentId}"`);
  return `agent:${parts.agentId}:${suffix(parts)}` as SessionKey;
}

function suffix(parts: SessionKeyParts): string {
  switch (parts.kind) {
    case "main":
      return `main${threadSuffix(parts.thread)}`;
    case "direct": {
      const scope = [parts.channel, parts.accountId].filter((name) => name !== null).map(checkedName);
      return [...scope, "direct", checkedId(parts.peerId)].join(":") + threadSuffix(parts.thread);
    }
    case "group":
    case "channel": {
      const account = parts.accountId === DEFAULT_ACCOUNT ? [] : [checkedName(parts.accountId)];
      const segments = [checkedName(parts.channel), ...account, parts.kind, checkedId(parts.id)];
      return segments.join(":") + threadSuffix(parts.thread);
    }
    default:
      return `${parts.kind}:${checkedId(parts.id)}`;
  }
}

function threadSuffix(thread: ThreadPart | null): string {
  return thread === null ? "" : `:${thread.kind}:${checkedId(thread.id)}`;
}

function checkedId(id: string): string {
  if (id === "") throw new Error("an id in a session key must not be empty");
  return encode(id);
}

function checkedName(name: string): string {
  if (!isName(name)) throw new Error(`invalid channel or account name "${name}"`);
  return name;
}

/** Parses a key back to its parts (SK-1), or null when the text is not a key. `parse(build(x))` equals `x`. */
export function parseSessionKey(text: string): SessionKeyParts | null {
  const [prefix, agentId, ...rest] = text.split(":");
  if (prefix !== "agent" || agentId === undefined || !isAgentId(agentId)) return null;
  const [head, id, extra] = rest;
  if (oneOf(STANDALONE, head) && rest.length === 2) {
    return id ? { kind: head, agentId, id: decode(id) } : null;
  }
  if (head === "main") {
    const thread = parseThread(rest.slice(1));
    return thread === undefined ? null : { kind: "main", agentId, thread };
  }
  const at = oneOf(CHATS, head) ? 0 : oneOf(CHATS, id) ? 1 : oneOf(CHATS, extra) ? 2 : -1;
  return at < 0 ? null : parseChat(agentId, rest, at);
}

function parseChat(agentId: AgentId, rest: readonly string[], at: number): SessionKeyParts | null {
  const scope = rest.slice(0, at);
  const kind = rest[at];
  const id = rest[at + 1];
  const thread = parseThread(rest.slice(at + 2));
  if (!id || thread === undefined || !scope.every(isName) || !oneOf(CHATS, kind)) return null;
  const [channel = null, accountId = null] = scope;
  if (kind === "direct") return { kind, agentId, channel, accountId, peerId: decode(id), thread };
  if (channel === null || accountId === DEFAULT_ACCOUNT) return null;
  return { kind, agentId, channel, accountId: accountId ?? DEFAULT_ACCOUNT, id: decode(id), thread };
}

/** undefined: the segments are not a thread suffix. */
function parseThread(segments: readonly string[]): ThreadPart | null | undefined {
  if (segments.length === 0) return null;
  const [kind, id] = segments;
  if (segments.length !== 2 || !id || (kind !== "thread" && kind !== "topic")) return undefined;
  return { kind, id: decode(id) };
}

/** The typed key of a text that is one, else null. */
export function asSessionKey(text: string): SessionKey | null {
  return parseSessionKey(text) === null ? null : (text as SessionKey);
}

export function mainSessionKey(agentId: AgentId): SessionKey {
  return buildSessionKey({ kind: "main", agentId, thread: null });
}

export function agentOf(key: SessionKey): AgentId {
  const agentId = key.split(":")[1];
  if (agentId === undefined) throw new Error(`not a session key: ${key}`);
  return agentId;
}

/** The key without its `:thread:` or `:topic:` suffix, or null when the key is not thread-scoped (SK-5). */
export function threadParent(key: SessionKey): SessionKey | null {
  const parts = parseSessionKey(key);
  if (parts === null || !("thread" in parts) || parts.thread === null) return null;
  return buildSessionKey({ ...parts, thread: null });
}

/** SK-4: the kind a listing shows. A thread of a DM counts with the group chats, as every thread does. */
export function sessionKind(key: SessionKey): SessionKind {
  const parts = parseSessionKey(key);
  if (parts === null) return "other";
  switch (parts.kind) {
    case "main":
      return parts.thread === null ? "main" : "group";
    case "direct":
      return parts.thread === null ? "other" : "group";
    case "group":
    case "channel":
      return "group";
    case "cron":
    case "hook":
    case "node":
      return parts.kind;
    case "subagent":
    case "acp":
      return "other";
  }
}

/**
 * Which sessions a session may see (VS-1), as plain data: the store filters with it before limits and counts, and one
 * target is judged by the same fields (VS-2).
 */
export interface SessionScope {
  readonly own: SessionKey;
  /** Everything it spawned, at any depth, also under other agents. */
  readonly lineage: boolean;
  /** All sessions of these agents; `all`: of every agent. */
  readonly agents: readonly AgentId[] | "all";
}

/** The decision for one session whose lineage is known. The store's filter says the same in SQL; a test holds them together. */
export function inScope(
  scope: SessionScope,
  target: { readonly key: SessionKey; readonly isDescendant: boolean },
): boolean {
  if (target.key === scope.own) return true;
  if (scope.lineage && target.isDescendant) return true;
  return scope.agents === "all" || scope.agents.includes(agentOf(target.key));
}
