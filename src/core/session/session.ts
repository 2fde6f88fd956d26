import type { Route } from "../delivery/delivery.ts";
import { type AgentId, type ChannelId, encodeId, type SessionId } from "../ids.ts";
import type { QueueOverride } from "../message/turn-inputs.ts";
import type { LocalTime } from "../time.ts";
import { parseSessionKey, type SessionKey, type SessionKind } from "./session-key.ts";

export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high"] as const;
export type ThinkingLevel = (typeof THINKING_LEVELS)[number];

/** `/usage` (CM-10): what stands below each answer. */
export const USAGE_LINES = ["off", "tokens", "full"] as const;
export type UsageLine = (typeof USAGE_LINES)[number];

export type SendPolicyAction = "allow" | "deny";

/** The memory of one agent for one conversation or task. */
export interface Session {
  readonly key: SessionKey;
  readonly sessionId: SessionId;
  readonly agentId: AgentId;
  readonly kind: SessionKind;
  /** The channel of its conversation; null for sub-agents and other sessions without one. */
  readonly channel: ChannelId | null;
  readonly label: string | null;
  readonly displayName: string | null;
  readonly modelOverride: string | null;
  readonly thinking: ThinkingLevel | null;
  /** `/reasoning on`: reasoning text is shown to people (DL-10). */
  readonly showReasoning: boolean;
  /** What `/queue` set for it (TN-3); null: nothing. */
  readonly queue: QueueOverride | null;
  /** `/verbose on`: the calls of tools are shown to people as they run (CM-10). */
  readonly verbose: boolean;
  readonly usageLine: UsageLine;
  /** Who spawned it, and how deep it stands: 0 for a conversation's session. */
  readonly spawnedBy: SessionKey | null;
  readonly depth: number;
  /** `/send`: whether other sessions may send to it; null: what `session.sendPolicy` says (ST-22). */
  readonly sendPolicy: SendPolicyAction | null;
  readonly pinned: boolean;
  readonly archivedAt: number | null;
  /** Where it was created. */
  readonly originRoute: Route | null;
  /** Where its people last wrote (IN-16); used only by turns without a route. */
  readonly lastRoute: Route | null;
  readonly stateVersion: number;
  /** Whether it may have watchers (SL-6); false: it has none. */
  readonly watched: boolean;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  /** The size of the context at the last model call. */
  readonly contextTokens: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly lastHumanAt: number | null;
  /** An automatic reset is due and waits for the next message (TN-13). */
  readonly resetDue: boolean;
  /** It yielded and waits for its children (CP-8). */
  readonly yieldWait: "all" | "each" | null;
  readonly yieldNote: string | null;
  /** Its one durable objective (ST-41). */
  readonly goal: Goal | null;
}

export const GOAL_STATES = ["active", "paused", "blocked", "complete"] as const;
export type GoalState = (typeof GOAL_STATES)[number];

/** The one durable objective of a session (ST-41). */
export interface Goal {
  readonly objective: string;
  readonly state: GoalState;
  /** How far it is, or why it is paused or blocked; null: nothing was noted. */
  readonly note: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** What created it: the same call twice is one goal. */
  readonly cause: string;
}

/** Longest objective and note, in characters. */
export const MAX_OBJECTIVE = 2_000;
export const MAX_GOAL_NOTE = 1_000;

/** A goal as models read it; `timeText`: a time in the agent's zone. */
export function goalView(goal: Goal | null, timeText: (at: number) => string) {
  if (goal === null) return null;
  const { objective, state, note, updatedAt } = goal;
  return { objective, state, ...(note === null ? {} : { note }), updatedAt: timeText(updatedAt) };
}

export const RESET_MODES = ["none", "daily", "idle"] as const;
export const RESET_TYPES = ["direct", "group", "thread"] as const;
/** What kind of conversation a session is of, for `session.resetByType`. */
export type ResetType = (typeof RESET_TYPES)[number];

/** When a session resets automatically (TN-13). */
export interface ResetPolicy {
  readonly mode: (typeof RESET_MODES)[number];
  /** `daily`: the hour of the day in the agent's time zone, 0 to 23. */
  readonly atHour: number;
  /** `idle`: the time without messages, in milliseconds. */
  readonly idleMs: number;
}

export interface ResetSettings {
  readonly general: ResetPolicy;
  readonly byType: ReadonlyMap<ResetType, ResetPolicy>;
  readonly byChannel: ReadonlyMap<ChannelId, ResetPolicy>;
}

export const DEFAULT_RESET: ResetPolicy = { mode: "none", atHour: 4, idleMs: 60 * 60_000 };

/** The policy of a session: its channel's, else its type's, else the general one; null: sub-agents and the like have none. */
export function resetPolicyOf(settings: ResetSettings, key: SessionKey, channel: ChannelId): ResetPolicy | null {
  const type = resetType(key);
  if (type === null) return null;
  return settings.byChannel.get(channel) ?? settings.byType.get(type) ?? settings.general;
}

function resetType(key: SessionKey): ResetType | null {
  const parts = parseSessionKey(key);
  if (parts === null || !("thread" in parts)) return null;
  if (parts.thread !== null) return "thread";
  return parts.kind === "group" || parts.kind === "channel" ? "group" : "direct";
}

/** TN-13: judged by when a person last wrote or gave a command, `lastHumanAt`; nothing in the background counts. */
export function isResetDue(
  policy: ResetPolicy,
  at: { readonly lastHumanAt: number; readonly now: number; readonly timeZone: string },
  localTime: LocalTime,
): boolean {
  switch (policy.mode) {
    case "none":
      return false;
    case "idle":
      return at.now - at.lastHumanAt >= policy.idleMs;
    case "daily":
      return at.lastHumanAt < localTime.lastHour(at.now, at.timeZone, policy.atHour);
  }
}

/** `/activation` (CM-13): when the bot answers in a group; overrides `requireMention`. */
export const ACTIVATIONS = ["mention", "always"] as const;
export type Activation = (typeof ACTIVATIONS)[number];

/** The name under which `account_state` keeps the activation of a group or channel, or of a thread or topic in it. */
export function activationName(peerId: string, threadId: string | null): string {
  return `${activationPrefix(peerId)}${threadId ?? ""}`;
}

/** What all names of one group or channel begin with. */
export function activationPrefix(peerId: string): string {
  return `activation/${encodeId(peerId)}/`;
}

/** Any other value says nothing: the configuration decides. */
export function readActivation(value: string | null | undefined): Activation | null {
  return ACTIVATIONS.find((known) => known === value) ?? null;
}

/** The stored list of people who may use the bot in a group or channel (CM-14): one name in `account_state` each. */
const KIND = "senders/";

export function placeSenderName(peerId: string, senderId: string): string {
  return `${placeSendersPrefix(peerId)}${encodeId(senderId)}`;
}

/** What all names of one group or channel begin with. */
export function placeSendersPrefix(peerId: string): string {
  return `${KIND}${encodeId(peerId)}/`;
}

/** Null: the name is another value's. */
export function readPlaceSender(name: string): { readonly peerId: string; readonly senderId: string } | null {
  const [peer, sender, ...more] = name.startsWith(KIND) ? name.slice(KIND.length).split("/") : [];
  if (peer === undefined || sender === undefined || more.length > 0) return null;
  return { peerId: decodeURIComponent(peer), senderId: decodeURIComponent(sender) };
}
