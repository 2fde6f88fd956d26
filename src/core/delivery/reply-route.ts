import { isWholeRoute, type PartialRoute, type Route } from "./route.ts";

/*
 * Where a turn's answer goes is a value of the input that started it, decided when the input is stored (TN-15): a person's
 * message has the route it came by, a message of another session none, guidance that of the child's own thread. Only these
 * two have to be looked up.
 */

/** Where the answer to the operator's command line goes: the session's own conversation, else its last route; null: nowhere outside. */
export function operatorRoute(source: {
  /** The conversation bound to the session (TB-2). */
  readonly boundRoute: Route | null;
  /** Where the session's people last wrote (IN-16). */
  readonly lastRoute: Route | null;
}): Route | null {
  return source.boundRoute ?? source.lastRoute;
}

export interface CompletionSource {
  /** The conversation bound to the requester. */
  readonly boundRoute: Route | null;
  /** Stored at spawn: the whole route of the turn that spawned, only its channel, or nothing. */
  readonly spawnRoute: Route | PartialRoute | null;
  /** Where the requester's people last wrote. */
  readonly requesterLastRoute: Route | null;
}

/**
 * Where the answer to a completion goes (CP-4), in order: the conversation bound to the requester; the route the spawn
 * was made from, whole and as it was then, wherever people have written since (FC-181); what that origin left open,
 * from the requester's last route, and only when that has the same channel and the stated account (FC-002). A filled-in
 * route is taken whole, so a thread id never moves to another chat. null: nowhere, and the operator sees it.
 */
export function completionRoute({ boundRoute, spawnRoute, requesterLastRoute }: CompletionSource): Route | null {
  if (boundRoute !== null) return boundRoute;
  if (spawnRoute === null) return requesterLastRoute;
  if (isWholeRoute(spawnRoute)) return spawnRoute;
  if (requesterLastRoute === null || requesterLastRoute.channel !== spawnRoute.channel) return null;
  const sameAccount = spawnRoute.accountId === null || spawnRoute.accountId === requesterLastRoute.accountId;
  return sameAccount ? requesterLastRoute : null;
}
