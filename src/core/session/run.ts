import type { Route } from "../delivery/route.ts";
import type { AgentId, CallId, RunId, SessionId } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import type { Chain } from "./exchange.ts";
import type { Rights } from "./rights.ts";
import type { SessionKey } from "./session-key.ts";

export type RunState = "queued" | "running" | "waiting" | "ended";
/** Decided by the runtime, never by the model's words (CP-1). */
export type RunOutcome = "ok" | "error" | "timeout" | "killed" | "lost";

/** A piece of work somebody waits for, made of one or more turns. */
export interface Run {
  readonly id: RunId;
  readonly kind: "spawn" | "send";
  /** The tool call or command that made it; a replay finds the run instead of making a second one (SP-2). */
  readonly callId: CallId;
  /** The session that does the work. */
  readonly sessionKey: SessionKey;
  /** Whom to wake at its end; apart from where people read it (CP-4). */
  readonly wake: { readonly key: SessionKey; readonly sessionId: SessionId };
  /** The route of the turn that spawned it; null when that turn had none. */
  readonly route: Route | null;
  readonly rights: Rights;
  /** The chain of the turn that spawned it (ST-24). */
  readonly chain: Chain | null;
  readonly state: RunState;
  readonly outcome: RunOutcome | null;
  readonly result: string | null;
  readonly error: string | null;
  readonly task: string;
  readonly label: string | null;
  readonly taskName: string | null;
  readonly mode: "run" | "session";
  readonly cleanup: "keep" | "delete";
  readonly agentId: AgentId;
  readonly model: string;
  readonly depth: number;
  readonly expectsCompletion: boolean;
  /** `thread`: people read the result in the child's own thread, and the requester gets a state event only (TB-2). */
  readonly completionTarget: "channel" | "parent" | "thread";
  /** `over_window`: a fork was asked for, and would have filled more than half of the child's window (SP-5). */
  readonly context: "isolated" | "fork" | "over_window";
  readonly timeoutAt: number | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

/** What a run's end owes its requester (CP-2). */
export interface Completion {
  readonly runId: RunId;
  readonly requester: SessionKey;
  readonly state: "owed" | "delivered" | "silent" | "failed";
  readonly reason: string | null;
  readonly createdAt: number;
  readonly settledAt: number | null;
}

export type StateEventKind =
  | "created"
  | "human_direct_message"
  | "goal_changed"
  | "child_spawned"
  | "run_completed"
  | "run_failed"
  | "compacted"
  | "reset"
  | "bound"
  | "unbound";

/** A line of a session's durable log (SL-1). Never message content. */
export interface StateEvent {
  readonly sequence: number;
  readonly sessionKey: SessionKey;
  readonly kind: StateEventKind;
  readonly actorType: "human" | "agent" | "system";
  readonly actor: string;
  readonly runId: RunId | null;
  readonly at: number;
  readonly summary: string;
  readonly payload: JsonObject;
}
