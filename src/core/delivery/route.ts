import type { AccountId, ChannelId } from "../ids.ts";

/**
 * Where an answer is sent (DL-1). One immutable value: replaced whole, never merged field by field, ids verbatim as the
 * platform gave them. It comes from an inbound event or a stored row, never from a session key.
 */
export interface Route {
  readonly channel: ChannelId;
  readonly accountId: AccountId;
  /** The platform's own conversation id. */
  readonly to: string;
  /** The platform's own thread or topic id, or null for the conversation itself. */
  readonly threadId: string | null;
}

/**
 * One string per conversation, the key of its ordered lane (DL-2). Equal exactly when the routes are equal.
 * It is for comparing; nobody reads ids back out of it to send somewhere.
 */
export function conversationKey(route: Route): string {
  return [route.channel, route.accountId, route.to, route.threadId ?? ""].map(encodeURIComponent).join("/");
}

/** The place a conversation's key was made of: to tell an operator where something was. Nothing is ever sent to it. */
export function placeOfKey(conversation: string): Route {
  const [channel = "", accountId = "", to = "", threadId = ""] = conversation.split("/").map(decodeURIComponent);
  return { channel, accountId, to, threadId: threadId === "" ? null : threadId };
}

export function sameRoute(a: Route | null, b: Route | null): boolean {
  if (a === null || b === null) return a === b;
  return a.channel === b.channel && a.accountId === b.accountId && a.to === b.to && a.threadId === b.threadId;
}

/**
 * What is known of an origin that named no conversation (CP-4, FC-002): it cannot be sent to before the rest is filled
 * from a stored route of the same channel and, where stated, the same account.
 */
export interface PartialRoute {
  readonly channel: ChannelId;
  readonly accountId: AccountId | null;
}

export function isWholeRoute(route: Route | PartialRoute): route is Route {
  return "to" in route;
}

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
