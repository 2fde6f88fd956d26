import type { BotRecord } from "../records.ts";
import { unauthorized } from "../refusal.ts";
import type { RouteName } from "../route-table.ts";
import { accountRoutes, gatewayRoute } from "./accounts.ts";
import { channelRoutes } from "./channels.ts";
import { commandRoutes } from "./commands.ts";
import { guildRoutes } from "./guilds.ts";
import type { BotHandlers, BotRoute, CallContext, OpenHandlers, OpenRoute } from "./handler.ts";
import { interactionRoutes } from "./interactions.ts";
import { messageRoutes } from "./messages.ts";
import { reactionRoutes } from "./reactions.ts";
import { sendingRoutes } from "./sending.ts";
import { threadRoutes } from "./threads.ts";
import { webhookRoutes } from "./webhooks.ts";

const botHandlers: BotHandlers<BotRoute> = {
  ...accountRoutes,
  ...guildRoutes,
  ...channelRoutes,
  ...messageRoutes,
  ...reactionRoutes,
  ...sendingRoutes,
  ...threadRoutes,
  ...commandRoutes,
};

const openHandlers: OpenHandlers<OpenRoute> = {
  ...gatewayRoute,
  ...interactionRoutes,
  ...webhookRoutes,
};

/** Whether a route's path holds a secret of its own, so that it needs no bot token. */
export function isOpen(route: RouteName): route is OpenRoute {
  return Object.hasOwn(openHandlers, route);
}

/** Carries out one checked request. Undefined: answered with 204. Throws `Refusal`. */
export function carryOut(route: RouteName, context: CallContext, bot: BotRecord | null, body: unknown): unknown {
  // The body was checked against the schema of this very route; the tables' union types cannot say that.
  if (isOpen(route)) {
    const handler = openHandlers[route] as (context: CallContext, body: unknown) => unknown;
    return handler(context, body);
  }
  if (bot === null) throw unauthorized();
  const handler = botHandlers[route] as (context: CallContext & { bot: BotRecord }, body: unknown) => unknown;
  return handler({ ...context, bot }, body);
}
