import type { UploadedFile } from "../../body.ts";
import type { MethodName } from "../method-names.ts";
import type { BotRecord, ChatRecord } from "../records.ts";
import type { MethodParams, MethodResult } from "../wire-types.ts";
import type { World } from "../world.ts";

/** What a handler may use besides the validated parameters. */
export interface CallContext {
  world: World;
  bot: BotRecord;
  /** Uploaded parts by name. */
  files: ReadonlyMap<string, UploadedFile>;
  /** Counts `messages` against the rate limits, when they are on; refuses with 429. */
  spend: (chat: ChatRecord, messages: number) => void;
  /** Called when the client closes the connection before the answer. */
  onDisconnect: (withdraw: () => void) => void;
  /** Starts (or stops, when the bot has none) pushing updates to the bot's webhook. */
  webhookChanged: (bot: BotRecord) => void;
}

export type Handler<Name extends MethodName> = (
  context: CallContext,
  params: MethodParams<Name>,
) => MethodResult<Name> | Promise<MethodResult<Name>>;

export type Handlers<Names extends MethodName> = { [Name in Names]: Handler<Name> };
