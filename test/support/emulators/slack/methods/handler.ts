import type { MethodName } from "../method-names.ts";
import type { AppRecord, ConversationRecord } from "../records.ts";
import type { MethodArgs, MethodResult } from "../wire-types.ts";
import type { World } from "../world.ts";

/** What a handler may use besides the validated arguments. */
export interface CallContext {
  world: World;
  app: AppRecord;
  /** Counts one message against the per-channel limit, when rate limits are on; refuses with 429. */
  spendMessage: (conversation: ConversationRecord) => void;
}

export type Handler<Name extends MethodName> = (
  context: CallContext,
  args: MethodArgs<Name>,
) => MethodResult | Promise<MethodResult>;

export type Handlers<Names extends MethodName> = { [Name in Names]: Handler<Name> };
