import type { TelegramMessageEntity } from "@gramio/types/objects";
import { escapeHtml } from "../../src/core/text/plain-text.ts";
import { parseHtml } from "../support/emulators/telegram/entities-html.ts";

/** Entities a client shows; Telegram drops the others (https://core.telegram.org/method/messages.sendMessage). */
const SHOWN_ENTITIES = 100;

/** Draws the text and entities that Telegram makes of a message with `parse_mode: "HTML"`. */
export function drawTelegram(payload: string): string {
  const { text, entities } = parseHtml(payload);
  return `<div class="chat">${drawn(text, entities.slice(0, SHOWN_ENTITIES), 0, text.length)}</div>`;
}

/** `entities` are in order and properly nested. */
function drawn(text: string, entities: readonly TelegramMessageEntity[], from: number, to: number): string {
  let html = "";
  let at = from;
  for (let index = 0; index < entities.length; index += 1) {
    const entity = entities[index];
    if (entity === undefined) break;
    const end = entity.offset + entity.length;
    const inside = entities
      .slice(index + 1)
      .filter((one) => one.offset >= entity.offset && one.offset + one.length <= end);
    html += escapeHtml(text.slice(at, entity.offset)) + wrapped(entity, drawn(text, inside, entity.offset, end));
    // The line break behind a block is the end of its last line.
    const isBlock = entity.type === "pre" || entity.type === "blockquote";
    at = isBlock && text[end] === "\n" ? end + 1 : end;
    index += inside.length;
  }
  return html + escapeHtml(text.slice(at, to));
}

function wrapped(entity: TelegramMessageEntity, inner: string): string {
  switch (entity.type) {
    case "bold":
      return `<b>${inner}</b>`;
    case "italic":
      return `<i>${inner}</i>`;
    case "strikethrough":
      return `<s>${inner}</s>`;
    case "spoiler":
      return `<span class="spoiler">${inner}</span>`;
    case "code":
      return `<code>${inner}</code>`;
    case "pre":
      return `<pre>${inner}</pre>`;
    case "blockquote":
      return `<blockquote>${inner}</blockquote>`;
    case "text_link":
      return `<a href="${escapeHtml(entity.url ?? "")}">${inner}</a>`;
    default:
      return `<mark>${entity.type}: ${inner}</mark>`;
  }
}
