import type { TelegramInlineKeyboardMarkup } from "@gramio/types/objects";
import { badRequest } from "../refusal.ts";
import type { Wire } from "../wire-types.ts";

export type InlineMarkup = Wire<TelegramInlineKeyboardMarkup>;

const ACTIONS = [
  "url",
  "callback_data",
  "web_app",
  "login_url",
  "switch_inline_query",
  "switch_inline_query_current_chat",
  "switch_inline_query_chosen_chat",
  "copy_text",
  "callback_game",
  "pay",
] as const;

/**
 * The inline keyboard of a request, or undefined for the other kinds of markup (they change only the client).
 * Refuses buttons without an action and callback data outside of 1–64 bytes.
 */
export function inlineMarkup(markup: object | undefined): InlineMarkup | undefined {
  if (markup === undefined || !("inline_keyboard" in markup)) return undefined;
  const inline = markup as InlineMarkup;
  for (const button of inline.inline_keyboard.flat()) {
    if (!ACTIONS.some((action) => button[action] !== undefined)) {
      throw badRequest("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard");
    }
    if (button.callback_data !== undefined) {
      const bytes = Buffer.byteLength(button.callback_data, "utf8");
      if (bytes < 1 || bytes > 64) throw badRequest("BUTTON_DATA_INVALID");
    }
  }
  return inline.inline_keyboard.length === 0 ? undefined : inline;
}
