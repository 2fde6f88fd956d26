import type { TelegramMessageEntity } from "@gramio/types/objects";
import { badRequest, type Refusal } from "./refusal.ts";

type EntityType = TelegramMessageEntity["type"];

const TAGS: Record<string, EntityType | "span" | "by-attributes"> = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  u: "underline",
  ins: "underline",
  s: "strikethrough",
  strike: "strikethrough",
  del: "strikethrough",
  "tg-spoiler": "spoiler",
  span: "span",
  a: "by-attributes",
  "tg-emoji": "custom_emoji",
  code: "code",
  pre: "pre",
  blockquote: "blockquote",
};
const NAMED: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"' };

interface OpenTag {
  name: string;
  attributes: Map<string, string>;
  /** Offset in the output text, UTF-16 units. */
  from: number;
  byteOffset: number;
}

function cannotParse(detail: string): Refusal {
  return badRequest(`can't parse entities: ${detail}`);
}

/** Reads HTML as Telegram's HTML mode does: only its tags, properly nested and closed, only its entities. */
class HtmlReader {
  readonly #html: string;
  readonly #open: OpenTag[] = [];
  readonly #entities: TelegramMessageEntity[] = [];
  #text = "";
  #at = 0;

  constructor(html: string) {
    this.#html = html;
  }

  read(): { text: string; entities: TelegramMessageEntity[] } {
    while (this.#at < this.#html.length) {
      const char = this.#html[this.#at];
      if (char === "<") this.#tag();
      else if (char === "&") this.#text += this.#characterReference();
      else {
        const next = this.#html.slice(this.#at).search(/[<&]/);
        const end = next < 0 ? this.#html.length : this.#at + next;
        this.#text += this.#html.slice(this.#at, end);
        this.#at = end;
      }
    }
    const unclosed = this.#open.at(-1);
    if (unclosed !== undefined) throw cannotParse(`Can't find end tag corresponding to start tag "${unclosed.name}"`);
    return { text: this.#text, entities: this.#entities.sort((a, b) => a.offset - b.offset || b.length - a.length) };
  }

  #byteOffset(at = this.#at): number {
    return Buffer.byteLength(this.#html.slice(0, at), "utf8");
  }

  #characterReference(): string {
    const match = /^&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]+));/.exec(
      this.#html.slice(this.#at, this.#at + 16),
    );
    const byName = match?.[3] === undefined ? undefined : NAMED[match[3]];
    const digits = match?.[1] ?? match?.[2];
    if (match === null || (byName === undefined && digits === undefined)) {
      throw cannotParse(`Unsupported or unescaped "&" at byte offset ${this.#byteOffset()}`);
    }
    this.#at += match[0].length;
    if (byName !== undefined) return byName;
    const code = Number.parseInt(digits ?? "", match[1] === undefined ? 16 : 10);
    if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
      throw cannotParse(`Invalid character reference at byte offset ${this.#byteOffset(this.#at - match[0].length)}`);
    }
    return String.fromCodePoint(code);
  }

  #tag(): void {
    const start = this.#at;
    const closing = this.#html[start + 1] === "/";
    const name = /^[A-Za-z0-9-]*/.exec(this.#html.slice(start + (closing ? 2 : 1)))?.[0] ?? "";
    this.#at = start + (closing ? 2 : 1) + name.length;
    if (closing) this.#endTag(name.toLowerCase(), start);
    else this.#startTag(name.toLowerCase(), start);
  }

  #startTag(name: string, start: number): void {
    if (TAGS[name] === undefined) {
      throw cannotParse(`Unsupported start tag "${name}" at byte offset ${this.#byteOffset(start)}`);
    }
    const attributes = new Map<string, string>();
    for (;;) {
      this.#at += /^\s*/.exec(this.#html.slice(this.#at))?.[0].length ?? 0;
      if (this.#at >= this.#html.length) {
        throw cannotParse(`Unclosed start tag at byte offset ${this.#byteOffset(start)}`);
      }
      if (this.#html[this.#at] === ">") break;
      const attribute = /^([^\s=<>/"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z0-9.-]+)))?/.exec(
        this.#html.slice(this.#at),
      );
      if (attribute === null) {
        throw cannotParse(`Empty attribute name in the tag "${name}" at byte offset ${this.#byteOffset(start)}`);
      }
      const value = attribute[2] ?? attribute[3] ?? attribute[4] ?? "";
      attributes.set((attribute[1] ?? "").toLowerCase(), new HtmlReader(value.replaceAll("<", "&lt;")).read().text);
      this.#at += attribute[0].length;
    }
    this.#at += 1;
    if (TAGS[name] === "span" && attributes.get("class") !== "tg-spoiler") {
      throw cannotParse(`Tag "span" must have class "tg-spoiler" at byte offset ${this.#byteOffset(start)}`);
    }
    this.#open.push({ name, attributes, from: this.#text.length, byteOffset: this.#byteOffset(start) });
  }

  #endTag(name: string, start: number): void {
    this.#at += /^\s*/.exec(this.#html.slice(this.#at))?.[0].length ?? 0;
    if (this.#html[this.#at] !== ">") {
      throw cannotParse(`Unclosed end tag at byte offset ${this.#byteOffset(start)}`);
    }
    this.#at += 1;
    const open = this.#open.pop();
    if (open === undefined) throw cannotParse(`Unexpected end tag at byte offset ${this.#byteOffset(start)}`);
    if (name !== "" && name !== open.name) {
      throw cannotParse(
        `Unmatched end tag at byte offset ${this.#byteOffset(start)}, expected "</${open.name}>", found "</${name}>"`,
      );
    }
    const entity = this.#entityOf(open);
    if (entity !== null && entity.length > 0) this.#entities.push(entity);
  }

  #entityOf(tag: OpenTag): TelegramMessageEntity | null {
    const place = { offset: tag.from, length: this.#text.length - tag.from };
    switch (tag.name) {
      case "a": {
        const href = tag.attributes.get("href") ?? this.#text.slice(tag.from);
        // A mention by id (https://core.telegram.org/bots/api#html-style); the emulator knows everyone.
        const id = /^tg:\/\/user\?id=(\d+)$/.exec(href)?.[1];
        if (id !== undefined) {
          const user = { id: Number(id), is_bot: false, first_name: this.#text.slice(tag.from).replace(/^@/, "") };
          return { type: "text_mention", ...place, user };
        }
        return /^[a-z][a-z0-9+.-]*:|^www\.|\./i.test(href) ? { type: "text_link", ...place, url: href } : null;
      }
      case "span":
        return { type: "spoiler", ...place };
      case "tg-emoji":
        return { type: "custom_emoji", ...place, custom_emoji_id: tag.attributes.get("emoji-id") ?? "" };
      case "blockquote":
        return { type: tag.attributes.has("expandable") ? "expandable_blockquote" : "blockquote", ...place };
      case "code":
        return this.#codeEntity(tag, place);
      case "pre":
        return this.#preEntity(place);
      default:
        return { type: TAGS[tag.name] as EntityType, ...place };
    }
  }

  /** `<pre><code class="language-x">` is one entity, made by the outer tag. */
  #codeEntity(tag: OpenTag, place: { offset: number; length: number }): TelegramMessageEntity {
    const language = /^language-(.+)$/.exec(tag.attributes.get("class") ?? "")?.[1];
    const entity: TelegramMessageEntity = { type: "code", ...place };
    if (language !== undefined && this.#open.at(-1)?.name === "pre") entity.language = language;
    return entity;
  }

  #preEntity(place: { offset: number; length: number }): TelegramMessageEntity {
    const inner = this.#entities.at(-1);
    const whole = inner?.type === "code" && inner.offset === place.offset && inner.length === place.length;
    if (!whole) return { type: "pre", ...place };
    this.#entities.pop();
    return inner.language === undefined
      ? { type: "pre", ...place }
      : { type: "pre", ...place, language: inner.language };
  }
}

/** Parses the HTML of `parse_mode: "HTML"`. Refuses with 400 "can't parse entities: …". */
export function parseHtml(html: string): { text: string; entities: TelegramMessageEntity[] } {
  return new HtmlReader(html).read();
}
