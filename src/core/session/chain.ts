import type { Route } from "../delivery/delivery.ts";
import type { SessionKey } from "./session-key.ts";

/** How much one message may set off in all, over all branches and without a person (ST-28). */
export interface ChainLimits {
  /** Turns that other sessions began. */
  readonly maxTurns: number;
  /** Model calls of those turns. */
  readonly maxModelCalls: number;
  /** Tokens of those calls, in and out; 0: no limit. */
  readonly maxTokens: number;
}

/** What a chain has used so far. The turn it comes from is not counted: a person asked for that one. */
export interface ChainUse {
  readonly id: string;
  readonly origin: { readonly sessionKey: SessionKey; readonly route: Route | null };
  readonly turns: number;
  readonly modelCalls: number;
  readonly tokens: number;
  /** The setting that ended it, or `stop`: a person did; null: it may go on. */
  readonly stoppedBy: ChainStop | null;
}

export type ChainStop =
  | "session.chains.maxTurns"
  | "session.chains.maxModelCalls"
  | "session.chains.maxTokens"
  | "stop";

/** What ends a chain before its next turn or model call; null: nothing does. */
export function chainStop(use: ChainUse, limits: ChainLimits): ChainStop | null {
  if (use.stoppedBy !== null) return use.stoppedBy;
  if (use.turns >= limits.maxTurns) return "session.chains.maxTurns";
  return modelCallStop(use, limits);
}

/** The same for a model call of a turn that has begun. */
export function modelCallStop(use: ChainUse, limits: ChainLimits): ChainStop | null {
  if (use.stoppedBy !== null) return use.stoppedBy;
  if (use.modelCalls >= limits.maxModelCalls) return "session.chains.maxModelCalls";
  return limits.maxTokens > 0 && use.tokens >= limits.maxTokens ? "session.chains.maxTokens" : null;
}
