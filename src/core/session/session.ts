import type { Route } from "../delivery/route.ts";
import type { AgentId, ChannelId, SessionId } from "../ids.ts";
import type { QueueOverride } from "../message/turn-inputs.ts";
import type { SessionKey, SessionKind } from "./session-key.ts";

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
  /** Where its people last wrote (IN-16); serves only turns that have no route of their own. */
  readonly lastRoute: Route | null;
  readonly stateVersion: number;
  /** Somebody may be watching it (SL-6); when false, nobody is. */
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

/** A goal as models read it. */
export function goalView(goal: Goal | null) {
  if (goal === null) return null;
  const { objective, state, note, createdAt, updatedAt } = goal;
  return { objective, state, note, createdAt, updatedAt };
}
