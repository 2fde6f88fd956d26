import type { Route } from "../delivery/route.ts";
import type { RunId } from "../ids.ts";
import type { SessionKey } from "./session-key.ts";

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
  | "idle"
  | "max_age"
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

/** A conversation whose messages go to one session, and whose session answers there (TB-3). */
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
