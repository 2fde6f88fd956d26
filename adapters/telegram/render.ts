import type { PacingBucket } from "../../src/channel/capabilities.ts";
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
import type { Route } from "../../src/core/delivery/delivery.ts";
import type { Clock } from "../../src/core/runtime.ts";
import type { MdInline, MdNode } from "../../src/core/text/markdown-tree.ts";
import { escapeHtml, labelled, plainInlines, plainText } from "../../src/core/text/plain-text.ts";
import { isPrivateChat } from "./address.ts";

/*
 * Telegram's dialect: HTML (https://core.telegram.org/bots/api#html-style).
 *
 * - Tags in use: <b> <i> <s> <tg-spoiler> <code> <pre> <blockquote> <a>. All else is text: `&`, `<`, `>` and quotes are escaped.
 * - `code` and `pre` are part of no other entity but a quote; a quote stands in no quote; links do not nest.
 * - No headings (bold), lists (`•`, numbers, boxes), tables (aligned `pre`) or pictures (links).
 * - Links: `http(s)` to a host with a dot, and `tg:`, but no `tg://user`, which could mention a person outside the conversation: people
 *   of the conversation are mentioned by it, and a handle is kept from being one (DL-8). Of any other link Telegram shows the label and drops the address, so the address is written behind it.
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
  return { ...writer.finish(), plain: unlinked(plainText(nodes)) };
}

/** Telegram reads every `@handle` as a mention. An invisible character keeps it text (DL-8). */
function unlinked(text: string): string {
  return text.includes("@") ? text.replace(/(?<!\w)@(?=\w{2})/g, "@\u200b") : text;
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
    this.write(style.href === null ? unlinked(text) : text);
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

  mention({ id, name }: { readonly id: string; readonly name: string }, style: RunStyle): void {
    const isPerson = /^[1-9]\d{0,15}$/.test(id) && style.href === null;
    this.text(`@${name}`, isPerson ? { ...style, href: `tg://user?id=${id}` } : style);
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

/** All messages of the bot together. */
export const BOT_BUCKET = "bot";

/** Topics of a forum share the limit of their chat, so the bucket is the chat's and not the route's. */
export function chatBucket(chatId: string): string {
  return `chat:${chatId}`;
}

/** DL-5: 30 a second per bot, one a second per chat with bursts of 5, 20 a minute per group with bursts of 10. */
export function bucketsOf(route: Route): readonly PacingBucket[] {
  const bot = { name: BOT_BUCKET, intervalMs: 1000 / 30, burst: 30 };
  const chat = { name: chatBucket(route.to), intervalMs: 1000, burst: 5 };
  if (isPrivateChat(route.to)) return [bot, chat];
  return [bot, chat, { name: `group:${route.to}`, intervalMs: 3000, burst: 10 }];
}

/** What a chat takes of its own, with some room: so many tries within so long may have met the chat's own limit. */
const OWN_LIMITS = { private: { tries: 3, withinMs: 5_000 }, group: { tries: 10, withinMs: 60_000 } } as const;

export interface FloodWatch {
  /** A request for a chat's message is on its way. */
  tried(chatId: string): void;
  bucketFor(chatId: string, afterMs: number): string;
}

/**
 * Which bucket a 429 holds. Telegram does not say whether a chat or the whole bot is meant: a chat's own limit is the usual
 * one and must not hold the others up (DL-4, DL-17); a second chat refused while the first still waits means the bot
 * (FC-092), unless it was written to so often that it may have met a limit of its own: two busy groups are no busy bot.
 */
export function createFloodWatch(clock: Clock): FloodWatch {
  const waiting = new Map<string, number>();
  /** The newest tries of each chat, oldest first; as many as are asked for. */
  const tries = new Map<string, readonly number[]>();

  function mayBeItsOwn(chatId: string, now: number): boolean {
    const own = isPrivateChat(chatId) ? OWN_LIMITS.private : OWN_LIMITS.group;
    const at = tries.get(chatId)?.at(-own.tries);
    return at !== undefined && at > now - own.withinMs;
  }

  function forget(now: number): void {
    for (const [chat, times] of tries) {
      if ((times.at(-1) ?? 0) > now - OWN_LIMITS.group.withinMs) return;
      tries.delete(chat);
    }
  }

  return {
    tried(chatId) {
      const now = clock.now();
      const newest = [...(tries.get(chatId) ?? []), now].slice(-OWN_LIMITS.group.tries);
      // Last in the map is who was written to last, so that the forgotten stand first.
      tries.delete(chatId);
      tries.set(chatId, newest);
      forget(now);
    },
    bucketFor(chatId, afterMs) {
      const now = clock.now();
      for (const [chat, until] of waiting) if (until <= now) waiting.delete(chat);
      const others = waiting.size > (waiting.has(chatId) ? 1 : 0);
      waiting.set(chatId, now + afterMs);
      return others && !mayBeItsOwn(chatId, now) ? BOT_BUCKET : chatBucket(chatId);
    },
  };
}
