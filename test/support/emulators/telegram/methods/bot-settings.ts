import type { TelegramBotCommandScope } from "@gramio/types/objects";
import { badRequest, conflict, WEBHOOK_IS_ACTIVE } from "../refusal.ts";
import type { Wire } from "../wire-types.ts";
import type { CallContext, Handlers } from "./handler.ts";

const LONGEST_POLL_SECONDS = 50;
const DEFAULT_CONNECTIONS = 40;

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/** Where a command list is kept: one per scope and language. Refuses scopes of chats the bot cannot see. */
function commandKey(
  context: CallContext,
  params: { scope?: Wire<TelegramBotCommandScope>; language_code?: string },
): string {
  const scope = params.scope ?? { type: "default" };
  if ("chat_id" in scope) context.world.chatFor(context.bot, scope.chat_id);
  const language = params.language_code ?? "";
  if (!/^([a-z]{2})?$/.test(language)) throw badRequest("invalid language code specified");
  const parts = Object.entries(scope).sort(([a], [b]) => a.localeCompare(b));
  return `${JSON.stringify(Object.fromEntries(parts))}|${language}`;
}

function checkWebhook(url: string, secretToken: string | undefined): void {
  let target: URL;
  try {
    target = new URL(url);
  } catch {
    throw badRequest("bad webhook: invalid webhook URL specified");
  }
  // The platform takes only HTTPS. On loopback there is no certificate to check, so plain HTTP stands in for it.
  const loopback = ["127.0.0.1", "localhost", "[::1]"].includes(target.hostname);
  if (target.protocol !== "https:" && !(target.protocol === "http:" && loopback)) {
    throw badRequest("bad webhook: An HTTPS URL must be provided for webhook");
  }
  if (secretToken === undefined) return;
  if (secretToken.length > 256) throw badRequest("secret token is too long");
  if (!/^[A-Za-z0-9_-]+$/.test(secretToken)) throw badRequest("secret token contains unallowed characters");
}

export const botSettingsMethods: Handlers<
  | "getMe"
  | "getUpdates"
  | "setWebhook"
  | "deleteWebhook"
  | "getWebhookInfo"
  | "setMyCommands"
  | "getMyCommands"
  | "deleteMyCommands"
> = {
  getMe: ({ bot }) => ({
    ...bot.user,
    can_join_groups: true,
    can_read_all_group_messages: bot.facts.canReadAllGroupMessages,
    supports_guest_queries: false,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
    has_topics_enabled: bot.facts.hasTopicsEnabled,
    allows_users_to_create_topics: bot.facts.hasTopicsEnabled,
    can_manage_bots: false,
    supports_join_request_queries: false,
  }),

  getUpdates: async ({ bot, world, onDisconnect }, params) => {
    if (bot.webhook !== null) throw conflict(WEBHOOK_IS_ACTIVE);
    bot.updates.allow(params.allowed_updates);
    const updates = await bot.updates.poll({
      offset: params.offset ?? 0,
      limit: clamp(params.limit ?? 100, 1, 100),
      timeout: clamp(params.timeout ?? 0, 0, LONGEST_POLL_SECONDS),
      onOpen: (withdraw) => {
        onDisconnect(withdraw);
        world.signals.changed();
      },
    });
    // Raw injected updates may be anything: that is what they are for.
    return updates as Awaited<ReturnType<typeof botSettingsMethods.getUpdates>>;
  },

  setWebhook: ({ bot, webhookChanged }, params) => {
    if (params.url !== "") checkWebhook(params.url, params.secret_token);
    bot.updates.allow(params.allowed_updates);
    if (params.drop_pending_updates === true) bot.updates.clear();
    bot.webhook =
      params.url === ""
        ? null
        : {
            url: params.url,
            secretToken: params.secret_token ?? null,
            maxConnections: clamp(params.max_connections ?? DEFAULT_CONNECTIONS, 1, 100),
            lastError: null,
          };
    if (bot.webhook !== null) bot.updates.terminateForWebhook();
    webhookChanged(bot);
    return true;
  },

  deleteWebhook: ({ bot, webhookChanged }, params) => {
    if (params.drop_pending_updates === true) bot.updates.clear();
    bot.webhook = null;
    webhookChanged(bot);
    return true;
  },

  getWebhookInfo: ({ bot }) => {
    const { webhook, updates } = bot;
    const info = {
      url: webhook?.url ?? "",
      has_custom_certificate: false,
      pending_update_count: updates.pending.length,
    };
    if (webhook === null) return info;
    return {
      ...info,
      max_connections: webhook.maxConnections,
      ip_address: "127.0.0.1",
      ...(webhook.lastError === null
        ? {}
        : { last_error_date: webhook.lastError.date, last_error_message: webhook.lastError.message }),
    };
  },

  setMyCommands: (context, params) => {
    const key = commandKey(context, params);
    if (params.commands.length > 100) throw badRequest("BOT_COMMANDS_TOO_MUCH");
    for (const { command, description } of params.commands) {
      if (!/^[a-z0-9_]{1,32}$/.test(command)) throw badRequest("BOT_COMMAND_INVALID");
      if (description.length < 1 || description.length > 256) throw badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
    }
    context.bot.commands.set(key, params.commands);
    context.world.signals.changed();
    return true;
  },

  getMyCommands: (context, params) => context.bot.commands.get(commandKey(context, params)) ?? [],

  deleteMyCommands: (context, params) => {
    context.bot.commands.delete(commandKey(context, params));
    return true;
  },
};
