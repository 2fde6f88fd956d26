import type { UploadedFile } from "../../body.ts";
import type { BotRecord } from "../records.ts";
import type { BODIES, RouteName } from "../route-table.ts";
import type {
  APIAllowedMentions,
  APIApplicationCommand,
  APIEmbed,
  APIMessageTopLevelComponent,
  GuildForumTag,
} from "../wire-types.ts";
import type { World } from "../world.ts";

export interface CallContext {
  readonly world: World;
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Uploaded files by the number in their part's name. */
  readonly files: ReadonlyMap<number, UploadedFile>;
  /** For `GET /gateway`: `ws://127.0.0.1:<port>`. */
  readonly gatewayUrl: string;
}

export interface BotContext extends CallContext {
  readonly bot: BotRecord;
}

/** Routes whose path holds a secret of its own; they need no bot token. */
export type OpenRoute =
  | "get_gateway"
  | "create_interaction_response"
  | "execute_webhook"
  | "get_original_webhook_message"
  | "update_original_webhook_message"
  | "delete_original_webhook_message"
  | "get_webhook_message"
  | "update_webhook_message"
  | "delete_webhook_message";

export type BotRoute = Exclude<RouteName, OpenRoute>;

/** What a message is written with, in every request that writes one. The schema has checked the fields. */
export interface MessageBody {
  content?: string | null;
  embeds?: APIEmbed[] | null;
  components?: APIMessageTopLevelComponent[] | null;
  allowed_mentions?: APIAllowedMentions | null;
  attachments?: { id: string | number; filename?: string | null; description?: string | null }[] | null;
  flags?: number | null;
  tts?: boolean | null;
  sticker_ids?: string[] | null;
  poll?: unknown;
}

export interface CreateMessageBody extends MessageBody {
  nonce?: string | number | null;
  enforce_nonce?: boolean | null;
  message_reference?: {
    message_id: string;
    channel_id?: string | null;
    guild_id?: string | null;
    fail_if_not_exists?: boolean | null;
  } | null;
}

export interface CreateThreadBody {
  name: string;
  type?: number | null;
  auto_archive_duration?: number | null;
  rate_limit_per_user?: number | null;
  invitable?: boolean | null;
  /** Forum and media channels. */
  message?: MessageBody;
  applied_tags?: string[] | null;
}

export interface UpdateChannelBody {
  name?: string | null;
  topic?: string | null;
  archived?: boolean | null;
  locked?: boolean | null;
  invitable?: boolean | null;
  auto_archive_duration?: number | null;
  rate_limit_per_user?: number | null;
  applied_tags?: string[] | null;
  available_tags?: GuildForumTag[] | null;
  parent_id?: string | null;
}

export type CommandBody = Partial<APIApplicationCommand> & { name: string };

export interface InteractionCallbackBody {
  type: number;
  data?: (MessageBody & { choices?: { name: string; value: string | number }[] | null }) | null;
}

interface Bodies extends Record<keyof typeof BODIES, unknown> {
  create_dm: { recipient_id?: string | null };
  create_guild_channel: { name: string; type?: number | null; parent_id?: string | null; topic?: string | null };
  update_channel: UpdateChannelBody;
  create_message: CreateMessageBody;
  update_message: MessageBody;
  create_thread: CreateThreadBody;
  create_thread_from_message: CreateThreadBody;
  create_application_command: CommandBody;
  bulk_set_application_commands: CommandBody[];
  update_application_command: Partial<CommandBody>;
  create_guild_application_command: CommandBody;
  bulk_set_guild_application_commands: CommandBody[];
  update_guild_application_command: Partial<CommandBody>;
  create_interaction_response: InteractionCallbackBody;
  execute_webhook: MessageBody;
  update_original_webhook_message: MessageBody;
  update_webhook_message: MessageBody;
}

export type BodyOf<Name extends RouteName> = Name extends keyof Bodies ? Bodies[Name] : null;

/** Carries out one route; undefined is answered with 204. Refuses by throwing a `Refusal`. */
export type BotHandlers<Names extends BotRoute> = {
  [Name in Names]: (context: BotContext, body: BodyOf<Name>) => unknown;
};

export type OpenHandlers<Names extends OpenRoute> = {
  [Name in Names]: (context: CallContext, body: BodyOf<Name>) => unknown;
};
