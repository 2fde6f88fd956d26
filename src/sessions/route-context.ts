import type { Route } from "../core/delivery/route.ts";
import type { Session } from "../core/session/session.ts";
import { parseSessionKey } from "../core/session/session-key.ts";

/** A route as agents and people read it. */
export type RouteText = {
  readonly channel: string;
  readonly accountId?: string;
  readonly to?: string;
  readonly threadId?: string;
};

/** Where a session was made, where its open turn answers, and where later delivery goes (ST-32). null: not known, or none. */
export type RouteContext = {
  readonly origin: RouteText | null;
  readonly active: RouteText | null;
  readonly deliveryContext: RouteText | null;
};

/**
 * ST-32. `active`: the route of the turn in progress, for a live session only. A session without a stored origin names the
 * channel its key stands for and nothing more: ids are never read back out of a key (SK-11).
 */
export function routeContext(
  session: Pick<Session, "key" | "originRoute" | "lastRoute">,
  active: Route | null,
): RouteContext {
  const { originRoute, lastRoute } = session;
  return {
    origin: originRoute === null ? inferredOrigin(session) : routeText(originRoute),
    active: active === null ? null : routeText(active),
    deliveryContext: lastRoute === null ? null : routeText(lastRoute),
  };
}

function routeText({ channel, accountId, to, threadId }: Route): RouteText {
  return threadId === null ? { channel, accountId, to } : { channel, accountId, to, threadId };
}

function inferredOrigin({ key }: Pick<Session, "key">): RouteText | null {
  const parts = parseSessionKey(key);
  const channel = parts !== null && "channel" in parts ? parts.channel : null;
  return channel === null ? null : { channel };
}
