import { isWholeRoute, type PartialRoute, type Route } from "./route.ts";

/** What is known, when a turn starts, of where its answer could go. */
export interface AnswerSource {
  /** What started the turn. `operator`: a schedule, a hook or the command line. */
  readonly kind: "event" | "task" | "steer" | "inter_session" | "completion" | "notice" | "operator";
  /** The input's own route: where the person wrote, or a completion's, decided by {@link completionRoute}. */
  readonly route: Route | null;
  /** The conversation bound to the session; only that of a thread-bound sub-agent counts for its task (TB-2). */
  readonly boundRoute: Route | null;
  /** Where the session's people last wrote (IN-16). */
  readonly lastRoute: Route | null;
}

/**
 * The one place that decides where a turn's answer goes, fixed when the turn starts (TN-15); null: nowhere outside.
 * People are answered where they asked; another session is answered through its exchange, never in a chat.
 */
export function answerRoute(source: AnswerSource): Route | null {
  switch (source.kind) {
    case "event":
      return source.route ?? source.lastRoute;
    case "completion":
      return source.route;
    case "task":
    case "steer":
      return source.boundRoute;
    case "inter_session":
      return null;
    case "notice":
    case "operator":
      return source.boundRoute ?? source.lastRoute;
  }
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
