import type { Route } from "../delivery/delivery.ts";
import type { AgentId, CallId, RunId, SessionId, TurnId } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import type { Rights } from "./rights.ts";
import type { SessionKey } from "./session-key.ts";

export type RunState = "queued" | "running" | "waiting" | "ended";
/** Decided by the runtime, never by the model's words (CP-1). */
export type RunOutcome = "ok" | "error" | "timeout" | "killed" | "lost";

/** A piece of work that has a requester, made of one or more turns. */
export interface Run {
  readonly id: RunId;
  readonly kind: "spawn" | "send";
  /** The tool call or command that made it; a replay finds the run instead of making a second one (SP-2). */
  readonly callId: CallId;
  /** The session that does the work. */
  readonly sessionKey: SessionKey;
  /** The session to wake when it ends; separate from where people read it (CP-4). */
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

/** How an exchange's reply travels: decided once, by compare-and-set (ST-21). */
export type ExchangeState = "waiting" | "replied" | "expired" | "closed";

/**
 * What an exchange waits for (ST-24, ST-25): the target's first reply; the end of the requester's turn that was given the
 * reply inline, or of the one that reads it late; a reply-back turn; the announcement.
 */
export type ExchangePhase = "asked" | "answered" | "late" | "reply_back" | "announce" | "over";

/** What an inter-session input is within its exchange. Odd reply-back turns are the requester's, even ones the target's. */
export type ExchangeStage =
  | { readonly kind: "message" }
  /** `failed`: its text is what went wrong; left out for a reply. */
  | { readonly kind: "late_reply"; readonly failed?: true }
  | { readonly kind: "reply_back"; readonly turn: number; readonly of: number }
  | { readonly kind: "announce" };

/** One `sessions_send` and all that follows from it. */
export interface Exchange {
  readonly runId: RunId;
  readonly callId: CallId;
  readonly from: SessionKey;
  readonly to: SessionKey;
  /** The lives it belongs to: a reset of either side ends it (ST-24). */
  readonly fromSessionId: SessionId;
  readonly toSessionId: SessionId;
  /** The requester's turn that asked. */
  readonly fromTurnId: TurnId;
  readonly state: ExchangeState;
  /** When waiting ends; null: it never waited. */
  readonly deadline: number | null;
  /** Where the requester's turn answers; a late reply is read there. */
  readonly route: Route | null;
  /** The lower of both sides (TN-14): every turn of the exchange works with them. */
  readonly rights: Rights;
  readonly chain: Chain;
  readonly phase: ExchangePhase;
  /** Reply-back turns begun, and how many there may be. */
  readonly round: number;
  readonly rounds: number;
  /** The target is asked in the end what its own conversation should see. */
  readonly announces: boolean;
  readonly reply: string | null;
  readonly replyStatus: "ok" | "no_reply" | "error" | null;
  readonly createdAt: number;
}

/**
 * What everything carries that one turn has set off in other sessions (ST-24, ST-28): messages, tasks, results and notices,
 * across all branches, are one chain. A ring of three is stopped by the same limit as two that answer each other.
 */
export interface Chain {
  /** The turn, or the command, of the person it comes from. */
  readonly id: string;
  /** 0: the first message between sessions; -1: none was sent yet. */
  readonly hop: number;
  /** Every session that sent or got one of its messages. */
  readonly visited: readonly SessionKey[];
}

/** No chain goes further, not even through sessions that were never asked before: the largest limit one can configure. */
export const MAX_HOPS = 20;

/** A chain that nothing was sent in yet. `id`: the turn or command that begins it. */
export function newChain(id: string): Chain {
  return { id, hop: -1, visited: [] };
}

/** What all that a turn sets off belongs to (ST-28): the chain that began the turn, or its own. */
export function chainOf(turn: { readonly id: TurnId; readonly source: { readonly chain: Chain | null } }): Chain {
  return turn.source.chain ?? newChain(turn.id);
}

/** The chain as the next message carries it. */
export function nextHop(before: Chain, { from, to }: { readonly from: SessionKey; readonly to: SessionKey }): Chain {
  return { id: before.id, hop: before.hop + 1, visited: [...new Set([...before.visited, from, to])] };
}

/**
 * True when the message after `before` may not go to `to`: the chain has had its turns and would come back to a session it
 * has visited. A session that was not asked yet may be, up to {@link MAX_HOPS}: passing work on is no loop.
 */
export function isLoop(before: Chain, to: SessionKey, maxTurns: number): boolean {
  const hop = before.hop + 1;
  return hop > MAX_HOPS || (hop > maxTurns && before.visited.includes(to));
}

/**
 * `pending`: its thread is being made. `paused`: the platform took the thread away for now (archived, locked); it is bound
 * again when it opens within its life (TB-6). `ended` is terminal.
 */
export type BindingState = "pending" | "active" | "paused" | "ended";

/** Why a binding is over. The first two may end as a pause. */
export type BindingEnd =
  | "archived"
  | "locked"
  | "deleted"
  | "bot_removed"
  | "gone"
  /** The bot may not write in it (FC-421). */
  | "denied"
  | "idle"
  | "max_age"
  /** By the session that spawned it, or a person's `/kill` (FC-235). */
  | "closed"
  /** By a person's `/unfocus`. */
  | "unbound"
  /** By a person's `/focus` of something else here, or of this elsewhere. */
  | "replaced"
  | "not_created"
  /** The run was over before its thread was made. */
  | "run_ended";

/** How long a binding lives, in milliseconds; 0: for ever (TB-4). */
export interface BindingLimits {
  /** Without a message in or out. */
  readonly idleMs: number;
  /** At most, whatever is written. */
  readonly maxAgeMs: number;
}

/** A conversation that is linked to one session: its messages go there, and the session answers here (TB-3). */
export interface Binding extends BindingLimits {
  readonly id: string;
  readonly sessionKey: SessionKey;
  readonly state: BindingState;
  /** The bound conversation; while `pending`, where its thread is being made. */
  readonly route: Route;
  /** The run it was made for; null: a person bound it. */
  readonly runId: RunId | null;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly lastActivity: number;
  readonly reason: BindingEnd | null;
}

/** When a binding expires if nothing is written from now on, and by which limit; null: never. */
export function bindingExpiry(
  binding: Pick<Binding, "idleMs" | "maxAgeMs" | "createdAt" | "lastActivity">,
): { readonly at: number; readonly why: "idle" | "max_age" } | null {
  const idle = binding.idleMs === 0 ? Number.POSITIVE_INFINITY : binding.lastActivity + binding.idleMs;
  const age = binding.maxAgeMs === 0 ? Number.POSITIVE_INFINITY : binding.createdAt + binding.maxAgeMs;
  if (idle === Number.POSITIVE_INFINITY && age === Number.POSITIVE_INFINITY) return null;
  return idle <= age ? { at: idle, why: "idle" } : { at: age, why: "max_age" };
}

/** What the requester of a refused `thread: true` reads (TB-1). */
export const NO_THREADS_HERE = 'thread bindings unavailable here; use mode "run"';
