import type { NativeCommand } from "../../src/channel/capabilities.ts";
import { manifestTexts, slackPrompts } from "../../src/core/texts/platforms/examples.ts";

/** Exactly what the adapter uses: reading where the bot is, answering, files, reactions, names, the status of threads. */
export const BOT_SCOPES: readonly string[] = [
  "app_mentions:read",
  "assistant:write",
  "channels:history",
  "channels:read",
  "chat:write",
  "commands",
  "files:read",
  "files:write",
  "groups:history",
  "groups:read",
  "im:history",
  "im:read",
  "mpim:history",
  "mpim:read",
  "reactions:read",
  "reactions:write",
  "usergroups:read",
  "users:read",
];

export const BOT_EVENTS: readonly string[] = [
  "app_mention",
  "app_uninstalled",
  "channel_archive",
  "channel_deleted",
  "channel_left",
  "channel_unarchive",
  "group_archive",
  "group_deleted",
  "group_left",
  "group_unarchive",
  "message.channels",
  "message.groups",
  "message.im",
  "message.mpim",
  "reaction_added",
  "tokens_revoked",
];

const LONGEST_DESCRIPTION = 2_000;

export interface ManifestOptions {
  readonly commands: readonly NativeCommand[];
  /** The public address of `/slack/events`; null: Socket Mode. */
  readonly requestUrl: string | null;
  readonly name?: string;
}

/** The app manifest to paste at "Create New App", with exactly the scopes, events and commands in use (CH-2). */
export function slackManifest({
  commands,
  requestUrl,
  name = "Switchyard",
}: ManifestOptions): Readonly<Record<string, unknown>> {
  const url = requestUrl === null ? {} : { url: requestUrl };
  return {
    display_information: { name, description: manifestTexts.description },
    features: {
      app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: name, always_online: true },
      // New apps cannot have the assistant's pane any more; one that has it keeps it (FC-222).
      agent_view: { agent_description: manifestTexts.description, suggested_prompts: [...slackPrompts] },
      slash_commands: [
        {
          command: "/switchyard",
          description: manifestTexts.command(commands.map((command) => command.name)).slice(0, LONGEST_DESCRIPTION),
          usage_hint: manifestTexts.usage,
          should_escape: false,
          ...url,
        },
      ],
    },
    oauth_config: { scopes: { bot: BOT_SCOPES } },
    settings: {
      event_subscriptions: { bot_events: BOT_EVENTS, ...(requestUrl === null ? {} : { request_url: requestUrl }) },
      interactivity: {
        is_enabled: true,
        ...(requestUrl === null ? {} : { request_url: requestUrl, message_menu_options_url: requestUrl }),
      },
      org_deploy_enabled: false,
      socket_mode_enabled: requestUrl === null,
      token_rotation_enabled: false,
    },
  };
}
