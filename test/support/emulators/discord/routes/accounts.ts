import { applicationFlags, tellGuildIsGone } from "../gateway/welcome.ts";
import { loginsOf, SESSION_STARTS } from "../logins.ts";
import type { BotRecord } from "../records.ts";
import { badRequest, forbidden, invalidForm, notFound } from "../refusal.ts";
import { channelShape } from "../shapes.ts";
import { guildFor, idIn } from "./destination.ts";
import type { BotContext, BotHandlers, OpenHandlers } from "./handler.ts";

/** Identifies a bot may do a day (Gateway, session start limit). */

function application(bot: BotRecord): Record<string, unknown> {
  return {
    id: bot.user.id,
    name: bot.user.username,
    icon: null,
    description: "",
    summary: "",
    type: null,
    bot: bot.user,
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: "0".repeat(64),
    flags: applicationFlags(bot),
    owner: null,
    team: null,
    hook: true,
    redirect_uris: [],
    interactions_endpoint_url: null,
    approximate_guild_count: 0,
  };
}

function gatewayBot({ bot, gatewayUrl }: BotContext): Record<string, unknown> {
  return {
    url: gatewayUrl,
    shards: bot.shards,
    session_start_limit: {
      total: SESSION_STARTS,
      remaining: loginsOf(bot, Date.now()).left,
      reset_after: Math.max(0, bot.logins.resetsAt - Date.now()),
      // As for large bots: their shards may identify beside each other.
      max_concurrency: bot.shards,
    },
  };
}

export const gatewayRoute: OpenHandlers<"get_gateway"> = {
  get_gateway: ({ gatewayUrl }) => ({ url: gatewayUrl }),
};

export const accountRoutes: BotHandlers<
  | "get_bot_gateway"
  | "get_my_user"
  | "get_user"
  | "list_my_guilds"
  | "leave_guild"
  | "create_dm"
  | "get_my_application"
  | "get_my_oauth2_application"
> = {
  get_bot_gateway: gatewayBot,
  get_my_user: ({ bot }) => ({ ...bot.user, verified: true, mfa_enabled: false, email: null, flags: 0 }),
  get_my_application: ({ bot }) => application(bot),
  get_my_oauth2_application: ({ bot }) => application(bot),

  get_user: (context) => {
    const user = context.world.users.get(idIn(context, "user_id"));
    if (user === undefined) throw notFound(10013, "Unknown User");
    return user;
  },

  list_my_guilds: ({ world, bot }) =>
    [...world.guilds.values()]
      .filter((guild) => !guild.deleted && guild.members.has(bot.user.id))
      .map((guild) => ({
        id: guild.id,
        name: guild.name,
        icon: null,
        banner: null,
        owner: false,
        permissions: "0",
        features: [],
      })),

  leave_guild: (context) => {
    const guild = guildFor(context);
    tellGuildIsGone(guild, [context.bot], false);
    guild.members.delete(context.bot.user.id);
    context.world.signals.changed();
    return undefined;
  },

  create_dm: ({ world, bot }, { recipient_id: recipient }) => {
    if (recipient === undefined || recipient === null) {
      throw invalidForm({ path: ["recipient_id"], code: "BASE_TYPE_REQUIRED", message: "This field is required" });
    }
    const user = world.users.get(recipient);
    if (user === undefined) throw badRequest(50033, "Invalid Recipient(s)");
    if (user.id === bot.user.id) throw forbidden(50007, "Cannot send messages to this user");
    return channelShape(world.dmChannel(user, bot), bot);
  },
};
