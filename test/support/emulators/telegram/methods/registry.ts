import type { MethodName } from "../method-names.ts";
import type { MethodParams } from "../wire-types.ts";
import { botSettingsMethods } from "./bot-settings.ts";
import { chatMethods } from "./chats.ts";
import { editingMethods } from "./editing.ts";
import { forumTopicMethods } from "./forum-topics.ts";
import type { CallContext, Handlers } from "./handler.ts";
import { mediaMethods } from "./media.ts";
import { sendingMethods } from "./sending.ts";

const METHODS: Handlers<MethodName> = {
  ...botSettingsMethods,
  ...chatMethods,
  ...editingMethods,
  ...forumTopicMethods,
  ...mediaMethods,
  ...sendingMethods,
};

/** Carries a validated request out. Throws a `Refusal` where the platform refuses. */
export async function carryOut<Name extends MethodName>(
  method: Name,
  context: CallContext,
  params: MethodParams<Name>,
): Promise<unknown> {
  return METHODS[method](context, params);
}
