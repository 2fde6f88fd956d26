export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Every emulated route, by the operation's name in the OpenAPI description of the platform. */
export const ROUTES = {
  get_gateway: ["GET", "/gateway"],
  get_bot_gateway: ["GET", "/gateway/bot"],
  get_my_user: ["GET", "/users/@me"],
  get_user: ["GET", "/users/{user_id}"],
  list_my_guilds: ["GET", "/users/@me/guilds"],
  leave_guild: ["DELETE", "/users/@me/guilds/{guild_id}"],
  create_dm: ["POST", "/users/@me/channels"],
  get_my_application: ["GET", "/applications/@me"],
  get_my_oauth2_application: ["GET", "/oauth2/applications/@me"],

  get_guild: ["GET", "/guilds/{guild_id}"],
  list_guild_channels: ["GET", "/guilds/{guild_id}/channels"],
  create_guild_channel: ["POST", "/guilds/{guild_id}/channels"],
  list_guild_roles: ["GET", "/guilds/{guild_id}/roles"],
  list_guild_members: ["GET", "/guilds/{guild_id}/members"],
  get_guild_member: ["GET", "/guilds/{guild_id}/members/{user_id}"],
  get_active_guild_threads: ["GET", "/guilds/{guild_id}/threads/active"],

  get_channel: ["GET", "/channels/{channel_id}"],
  update_channel: ["PATCH", "/channels/{channel_id}"],
  delete_channel: ["DELETE", "/channels/{channel_id}"],
  trigger_typing_indicator: ["POST", "/channels/{channel_id}/typing"],

  list_messages: ["GET", "/channels/{channel_id}/messages"],
  create_message: ["POST", "/channels/{channel_id}/messages"],
  get_message: ["GET", "/channels/{channel_id}/messages/{message_id}"],
  update_message: ["PATCH", "/channels/{channel_id}/messages/{message_id}"],
  delete_message: ["DELETE", "/channels/{channel_id}/messages/{message_id}"],
  add_my_message_reaction: ["PUT", "/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me"],
  delete_my_message_reaction: ["DELETE", "/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me"],
  list_message_reactions_by_emoji: ["GET", "/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}"],

  create_thread: ["POST", "/channels/{channel_id}/threads"],
  create_thread_from_message: ["POST", "/channels/{channel_id}/messages/{message_id}/threads"],
  join_thread: ["PUT", "/channels/{channel_id}/thread-members/@me"],
  leave_thread: ["DELETE", "/channels/{channel_id}/thread-members/@me"],
  add_thread_member: ["PUT", "/channels/{channel_id}/thread-members/{user_id}"],
  delete_thread_member: ["DELETE", "/channels/{channel_id}/thread-members/{user_id}"],
  list_thread_members: ["GET", "/channels/{channel_id}/thread-members"],
  list_public_archived_threads: ["GET", "/channels/{channel_id}/threads/archived/public"],
  list_private_archived_threads: ["GET", "/channels/{channel_id}/threads/archived/private"],

  list_application_commands: ["GET", "/applications/{application_id}/commands"],
  create_application_command: ["POST", "/applications/{application_id}/commands"],
  bulk_set_application_commands: ["PUT", "/applications/{application_id}/commands"],
  get_application_command: ["GET", "/applications/{application_id}/commands/{command_id}"],
  update_application_command: ["PATCH", "/applications/{application_id}/commands/{command_id}"],
  delete_application_command: ["DELETE", "/applications/{application_id}/commands/{command_id}"],
  list_guild_application_commands: ["GET", "/applications/{application_id}/guilds/{guild_id}/commands"],
  create_guild_application_command: ["POST", "/applications/{application_id}/guilds/{guild_id}/commands"],
  bulk_set_guild_application_commands: ["PUT", "/applications/{application_id}/guilds/{guild_id}/commands"],
  get_guild_application_command: ["GET", "/applications/{application_id}/guilds/{guild_id}/commands/{command_id}"],
  update_guild_application_command: ["PATCH", "/applications/{application_id}/guilds/{guild_id}/commands/{command_id}"],
  delete_guild_application_command: [
    "DELETE",
    "/applications/{application_id}/guilds/{guild_id}/commands/{command_id}",
  ],

  create_interaction_response: ["POST", "/interactions/{interaction_id}/{interaction_token}/callback"],
  execute_webhook: ["POST", "/webhooks/{webhook_id}/{webhook_token}"],
  get_original_webhook_message: ["GET", "/webhooks/{webhook_id}/{webhook_token}/messages/@original"],
  update_original_webhook_message: ["PATCH", "/webhooks/{webhook_id}/{webhook_token}/messages/@original"],
  delete_original_webhook_message: ["DELETE", "/webhooks/{webhook_id}/{webhook_token}/messages/@original"],
  get_webhook_message: ["GET", "/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}"],
  update_webhook_message: ["PATCH", "/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}"],
  delete_webhook_message: ["DELETE", "/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}"],
} as const satisfies Record<string, readonly [HttpMethod, string]>;

export type RouteName = keyof typeof ROUTES;

/** Schemas in `discord-api-spec/zod` of the bodies; several: any of them. Routes that are not here take no body. */
export const BODIES = {
  create_dm: ["CreatePrivateChannelRequestSchema"],
  create_guild_channel: ["CreateGuildChannelRequestSchema"],
  update_channel: ["UpdateGuildChannelRequestPartialSchema", "UpdateThreadRequestPartialSchema"],
  create_message: ["MessageCreateRequestSchema"],
  update_message: ["MessageEditRequestPartialSchema"],
  create_thread: ["CreateTextThreadWithoutMessageRequestSchema", "CreateForumThreadRequestSchema"],
  create_thread_from_message: ["CreateTextThreadWithMessageRequestSchema"],
  create_application_command: ["ApplicationCommandCreateRequestSchema"],
  bulk_set_application_commands: ["ApplicationCommandUpdateRequestSchema"],
  update_application_command: ["ApplicationCommandPatchRequestPartialSchema"],
  create_guild_application_command: ["ApplicationCommandCreateRequestSchema"],
  bulk_set_guild_application_commands: ["ApplicationCommandUpdateRequestSchema"],
  update_guild_application_command: ["ApplicationCommandPatchRequestPartialSchema"],
  create_interaction_response: [
    "CreateMessageInteractionCallbackRequestSchema",
    "UpdateMessageInteractionCallbackRequestSchema",
    "ApplicationCommandAutocompleteCallbackRequestSchema",
    "ModalInteractionCallbackRequestSchema",
    "PongInteractionCallbackRequestSchema",
  ],
  execute_webhook: ["IncomingWebhookRequestPartialSchema"],
  update_original_webhook_message: ["IncomingWebhookUpdateRequestPartialSchema"],
  update_webhook_message: ["IncomingWebhookUpdateRequestPartialSchema"],
} as const satisfies Partial<Record<RouteName, readonly string[]>>;

/** Routes whose body is a list of the schema's objects. */
export const LIST_BODIES: ReadonlySet<RouteName> = new Set([
  "bulk_set_application_commands",
  "bulk_set_guild_application_commands",
]);

interface CompiledRoute {
  name: RouteName;
  method: HttpMethod;
  pattern: RegExp;
  params: readonly string[];
}

function compile(name: RouteName): CompiledRoute {
  const [method, template] = ROUTES[name];
  const params = [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
  return { name, method, pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, "([^/]+)")}$`), params };
}

/** Fewer parameters first: `/users/@me` is never the user "@me". */
const COMPILED = (Object.keys(ROUTES) as RouteName[]).map(compile).sort((a, b) => a.params.length - b.params.length);

export function isRouteName(name: string): name is RouteName {
  return Object.hasOwn(ROUTES, name);
}

export interface MatchedRoute {
  name: RouteName;
  path: Record<string, string>;
}

/** The route of a path below `/api/v10`; `"method"` when only another method is there, null when nothing is. */
export function routeOf(method: string, path: string): MatchedRoute | "method" | null {
  let other = false;
  // discord.js writes `@original` as `%40original`.
  const plain = path.replaceAll("%40", "@");
  for (const route of COMPILED) {
    const match = route.pattern.exec(plain);
    if (match === null) continue;
    if (route.method !== method) {
      other = true;
      continue;
    }
    const values = match.slice(1).map((value) => decodeURIComponent(value));
    return { name: route.name, path: Object.fromEntries(route.params.map((param, i) => [param, values[i] ?? ""])) };
  }
  return other ? "method" : null;
}
