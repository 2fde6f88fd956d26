import type { TelegramMessage, TelegramMessageEntity } from "@gramio/types/objects";
import { parseHtml } from "./entities-html.ts";
import { plainEntities } from "./entities-plain.ts";
import { badRequest } from "./refusal.ts";

export interface FormattedText {
  text: string;
  entities: TelegramMessageEntity[];
}

/** The fields of a message that hold what was written. */
export type WrittenContent = Partial<Pick<TelegramMessage, "text" | "entities" | "caption" | "caption_entities">>;

/** As a message's text; without entities the field is left out, as on the platform. */
export function asText({ text, entities }: FormattedText): WrittenContent {
  return entities.length === 0 ? { text } : { text, entities };
}

/** As a caption; null: none. */
export function asCaption(caption: FormattedText | null): WrittenContent {
  if (caption === null) return {};
  return caption.entities.length === 0
    ? { caption: caption.text }
    : { caption: caption.text, caption_entities: caption.entities };
}

/** Removes white space at both ends, as the platform does, and moves the entities along. */
function trimmed({ text, entities }: FormattedText): FormattedText {
  const start = text.length - text.trimStart().length;
  const whole = text.trim();
  const inside = entities
    .map((entity) => {
      const from = Math.max(entity.offset - start, 0);
      const to = Math.min(entity.offset + entity.length - start, whole.length);
      return { ...entity, offset: from, length: to - from };
    })
    .filter((entity) => entity.length > 0);
  return { text: whole, entities: inside };
}

function checkGiven(text: string, entities: readonly TelegramMessageEntity[]): void {
  for (const entity of entities) {
    if (entity.offset < 0 || entity.length < 0) throw badRequest("can't parse entities: wrong entity offset or length");
    if (entity.offset + entity.length > text.length) {
      throw badRequest(`entity beginning at UTF-16 offset ${entity.offset} ends after the end of the text`);
    }
  }
}

/**
 * The text people see and its entities, from what a bot sent. Limits count UTF-16 units of the result.
 * `parse_mode` MarkdownV2 and Markdown are refused: this emulator does not read them.
 */
export function formattedText(
  source: string,
  parseMode: string | undefined,
  given: readonly TelegramMessageEntity[] | undefined,
): FormattedText {
  if (parseMode !== undefined && parseMode !== "HTML") {
    throw badRequest(`can't parse entities: parse_mode ${parseMode} is not supported by this emulator; use HTML`);
  }
  if (given !== undefined && parseMode === undefined) checkGiven(source, given);
  const parsed = parseMode === "HTML" ? parseHtml(source) : { text: source, entities: [...(given ?? [])] };
  const clean = trimmed(parsed);
  const all = [...clean.entities, ...plainEntities(clean.text, clean.entities)];
  return { text: clean.text, entities: all.sort((a, b) => a.offset - b.offset || b.length - a.length) };
}

/** A message's text: 1–4096 UTF-16 units after entities parsing. */
export function messageText(
  source: string,
  parseMode: string | undefined,
  given: readonly TelegramMessageEntity[] | undefined,
): FormattedText {
  if (source === "") throw badRequest("message text is empty");
  const formatted = formattedText(source, parseMode, given);
  if (formatted.text === "") throw badRequest("message text is empty");
  if (formatted.text.length > 4096) throw badRequest("message is too long");
  return formatted;
}

/** A caption: 0–1024 UTF-16 units after entities parsing. */
export function captionText(
  source: string | undefined,
  parseMode: string | undefined,
  given: readonly TelegramMessageEntity[] | undefined,
): FormattedText | null {
  if (source === undefined || source === "") return null;
  const formatted = formattedText(source, parseMode, given);
  if (formatted.text.length > 1024) throw badRequest("message caption is too long");
  return formatted.text === "" ? null : formatted;
}
