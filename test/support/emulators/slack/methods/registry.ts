import type { MethodName } from "../method-names.ts";
import type { MethodArgs, MethodResult } from "../wire-types.ts";
import { accountMethods } from "./accounts.ts";
import { assistantMethods } from "./assistant.ts";
import { chatMethods } from "./chat.ts";
import { chatStreamMethods } from "./chat-stream.ts";
import { conversationMethods } from "./conversations.ts";
import { fileMethods } from "./files.ts";
import type { CallContext, Handlers } from "./handler.ts";
import { reactionMethods } from "./reactions.ts";
import { viewMethods } from "./views.ts";

const HANDLERS: Handlers<MethodName> = {
  ...accountMethods,
  ...assistantMethods,
  ...chatMethods,
  ...chatStreamMethods,
  ...conversationMethods,
  ...fileMethods,
  ...reactionMethods,
  ...viewMethods,
};

/** Carries a validated request out. Throws a `Refusal` where the platform refuses. */
export async function carryOut<Name extends MethodName>(
  method: Name,
  context: CallContext,
  args: MethodArgs<Name>,
): Promise<MethodResult> {
  return HANDLERS[method](context, args);
}
