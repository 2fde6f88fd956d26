import {
  BOLD,
  ITALIC,
  type MarkdownDialect,
  type MarkdownLink,
  type MarkdownWriter,
  PLAIN_STYLE,
  type RunStyle,
  SPOILER,
  STRUCK,
  walkMarkdown,
} from "../../src/channel/markdown-walker.ts";
import { escapeHtml } from "../../src/core/text/html.ts";
import type { MdInline, MdNode } from "../../src/core/text/markdown-tree.ts";
import { labelled, plainInlines, plainText } from "../../src/core/text/plain-text.ts";

/*
 * Telegram's dialect: HTML (https://core.telegram.org/bots/api#html-style).
 *
 * - Tags in use: <b> <i> <s> <tg-spoiler> <code> <pre> <blockquote> <a>. All else is text: `&`, `<`, `>` and quotes are escaped.
 * - `code` and `pre` are part of no other entity but a quote; a quote stands in no quote; links do not nest.
 * - No headings (bold), lists (`•`, numbers, boxes), tables (aligned `pre`) or pictures (links).
 * - Links: `http(s)` to a host with a dot, and `tg:`, but no `tg://user`, which would mention somebody who need not be here
 *   (DL-8). Of any other link Telegram shows the label and drops the address, so the address is written behind it.
 * - A message holds 4,096 UTF-16 units, counted after the entities are parsed, and 100 entities; Telegram drops the formatting
 *   of the others without a word (https://core.telegram.org/method/messages.sendMessage) (DL-6).
 */
const DIALECT: MarkdownDialect = { bullet: "•", boxIsBullet: true, headingLevels: 0, looseLists: true };
const ALLOWED_LINK = /^(?:https?:\/\/(?:[^\s/?#@]{1,200}@)?[^\s/?#:@[\]]+\.[^\s/?#:@[\]]|tg:\/\/(?!user\b)\w)/i;
/** Entities a message may have. */
export const MOST_ENTITIES = 100;

export interface TelegramRendering {
  /** For `parse_mode: "HTML"`: only tags and nestings that the Bot API allows. */
  readonly html: string;
  /** The plain form of the same piece, for when the platform refuses the formatting (DL-7, FC-064). */
  readonly plain: string;
  /** UTF-16 units of the text that remains when the entities are parsed, which is what Telegram limits (DL-6). */
  readonly length: number;
  /** Marks, links, code and quotes: each tag is one. */
  readonly entities: number;
}

/** Renders a Markdown tree as Telegram HTML. */
export function renderTelegram(nodes: readonly MdNode[]): TelegramRendering {
  const writer = new HtmlWriter();
  walkMarkdown(writer, DIALECT, nodes);
  return { ...writer.finish(), plain: plainText(nodes) };
}

/** Keeps the open tags in one stack, so that whatever is written is well formed. */
class HtmlWriter implements MarkdownWriter {
  private html = "";
  private units = 0;
  private entities = 0;
  private stack: readonly string[] = [];

  text(text: string, style: RunStyle): void {
    if (text === "") return;
    this.open(tagsOf(style));
    this.write(text);
  }

  lineEnd(indent: string, style: RunStyle): void {
    this.text(`\n${indent}`, style);
  }

  layout(text: string): void {
    this.text(text, PLAIN_STYLE);
  }

  /** Inside a link the text stays a link: the two cannot be combined. */
  code(text: string, style: RunStyle): void {
    if (text === "") return;
    this.open(style.href === null ? ["<code>"] : tagsOf(style));
    this.write(text);
  }

  pre(text: string, language: string | null): void {
    if (text === "") return;
    this.open([]);
    this.entities += 1;
    this.html += language === null ? "<pre>" : `<pre><code class="language-${escapeHtml(language)}">`;
    this.write(text);
    this.html += language === null ? "</pre>" : "</code></pre>";
  }

  link(
    { label, url }: MarkdownLink,
    style: RunStyle,
    walk: (label: readonly MdInline[], style: RunStyle) => void,
  ): void {
    const shown: readonly MdInline[] = label.length === 0 ? [{ type: "text", text: url }] : label;
    if (style.href !== null || ALLOWED_LINK.test(url)) {
      // A picture that is a link leads where the link leads.
      walk(shown, { ...style, href: style.href ?? url });
      return;
    }
    walk(shown, style);
    const words = plainInlines(shown);
    if (labelled(words, url) !== words) this.text(` (${url})`, style);
  }

  /** A quote in which nothing is written leaves no tags. */
  quote(walk: (inside: MarkdownWriter) => void): void {
    this.open([]);
    const before = this.html;
    const units = this.units;
    this.html += "<blockquote>";
    walk(this);
    this.open([]);
    if (this.units === units) this.html = before;
    else {
      this.html += "</blockquote>";
      this.entities += 1;
    }
  }

  finish(): Pick<TelegramRendering, "html" | "length" | "entities"> {
    this.open([]);
    return { html: this.html, length: this.units, entities: this.entities };
  }

  private write(text: string): void {
    this.html += escapeHtml(text);
    this.units += text.length;
  }

  /** Closes and opens tags until exactly `wanted` are open. */
  private open(wanted: readonly string[]): void {
    let same = 0;
    while (same < wanted.length && this.stack[same] === wanted[same]) same += 1;
    for (let index = this.stack.length - 1; index >= same; index -= 1) this.html += closing(this.stack[index] ?? "");
    for (const tag of wanted.slice(same)) this.html += tag;
    this.entities += wanted.length - same;
    this.stack = wanted;
  }
}

function tagsOf(style: RunStyle): string[] {
  const tags: string[] = [];
  if (style.href !== null) tags.push(`<a href="${escapeHtml(style.href)}">`);
  if (style.marks & SPOILER) tags.push("<tg-spoiler>");
  if (style.marks & BOLD) tags.push("<b>");
  if (style.marks & ITALIC) tags.push("<i>");
  if (style.marks & STRUCK) tags.push("<s>");

  return tags;
}

function closing(tag: string): string {
  return `</${/^<([\w-]+)/.exec(tag)?.[1] ?? ""}>`;
}
