import type { TelegramMessageEntity } from "@gramio/types/objects";

type Found = Pick<TelegramMessageEntity, "type" | "offset" | "length">;

const PATTERNS: { type: TelegramMessageEntity["type"]; pattern: RegExp }[] = [
  {
    type: "url",
    pattern: /(?<![\w@/])(?:https?:\/\/[^\s<>"]+[^\s<>".,!?;:)\]]|(?:www\.)[^\s<>"]+\.[a-z]{2,}[^\s<>".,!?;:)\]]*)/gi,
  },
  { type: "email", pattern: /(?<![\w.@])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g },
  { type: "bot_command", pattern: /(?<![\w/<>@])\/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?(?![\w/])/g },
  { type: "mention", pattern: /(?<![\w@/.])@[A-Za-z0-9_]{3,32}(?!\w)/g },
  { type: "hashtag", pattern: /(?<![\w&#/])#[\p{L}\p{N}_]*\p{L}[\p{L}\p{N}_]*/gu },
];

function overlaps(a: Found, b: Found): boolean {
  return a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}

/**
 * What the platform marks in a text by itself: commands, mentions, links, addresses, hashtags. Offsets and lengths
 * in UTF-16 units. Nothing is found where `taken` already marks something that excludes it (code, links).
 */
export function plainEntities(text: string, taken: readonly Found[] = []): TelegramMessageEntity[] {
  if (!/[/@#.:]/.test(text)) return [];
  const found: TelegramMessageEntity[] = [];
  const closed = taken.filter(
    (e) => e.type === "code" || e.type === "pre" || e.type === "text_link" || e.type === "text_mention",
  );
  for (const { type, pattern } of PATTERNS) {
    for (const match of text.matchAll(pattern)) {
      const entity = { type, offset: match.index, length: match[0].length };
      if (![...closed, ...found].some((other) => overlaps(entity, other))) found.push(entity);
    }
  }
  return found.sort((a, b) => a.offset - b.offset);
}
