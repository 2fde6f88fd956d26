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
