import type { PacingBucket } from "../../src/channel/capabilities.ts";
import {
  BOLD,
  ITALIC,
  joinLines,
  type MarkdownDialect,
  type MarkdownLink,
  type MarkdownWriter,
  PLAIN_STYLE,
  type RunStyle,
  SPOILER,
  STRUCK,
  walkInlines,
  walkMarkdown,
} from "../../src/channel/markdown-walker.ts";
import type { MdInline, MdNode } from "../../src/core/text/markdown-tree.ts";
import { plainInlines, plainText } from "../../src/core/text/plain-text.ts";
import { BOT_BUCKET } from "./errors.ts";

/*
 * Discord's dialect: its own Markdown (https://docs.discord.com/developers/reference#message-formatting and
 * https://support.discord.com/hc/en-us/articles/210298617).
 *
 * - Signs of formatting in text have a backslash: \ ` * _ ~ | [ ] < everywhere, # > + - and numbers at the start of a line.
 * - Kept as they are, because Discord draws them and they are harmless: links to channels, custom emoji, timestamps, spoilers and
 *   `-# small` lines. People of the conversation are mentioned, and `allowed_mentions` lists them; others are text (DL-8).
 * - Marks never stand beside white space (Discord would show them) or beside another mark of the same sign.
 * - Three levels of headings (deeper ones bold), lists with nesting; no tables (aligned code) or pictures (links); a quote
 *   inside a quote or a list keeps only its text.
 * - Links: `http(s)`, with the address in angle brackets, so that it is exact and unfolds into no preview.
 * - A message holds 2,000 UTF-16 units, every mark and escape included (DL-6).
 */
const DIALECT: MarkdownDialect = { bullet: "-", boxIsBullet: false, headingLevels: 3, looseLists: false };
/** Breaks what Discord would read as one mark, and is invisible to people. */
const ZERO_WIDTH = "\u200b";
const MARKS: readonly (readonly [number, string])[] = [
  [SPOILER, "||"],
  [BOLD, "**"],
  [ITALIC, "*"],
  [STRUCK, "~~"],
];
const KEPT = /<(?:#\d{1,20}|a?:\w{2,32}:\d{1,20}|t:-?\d{1,13}(?::[tTdDfFsSR])?)>/g;

export interface DiscordRendering {
  readonly markdown: string;
  readonly plain: string;
  /** UTF-16 units with every mark and escape, which is what Discord limits (DL-6). */
  readonly length: number;
}

/** Renders a Markdown tree as Discord's own Markdown. */
export function renderDiscord(nodes: readonly MdNode[]): DiscordRendering {
  const writer = new DiscordWriter();
  walkMarkdown(writer, DIALECT, nodes);
  const markdown = writer.finish();
  return { markdown, plain: plainText(nodes), length: markdown.length };
}

/** The people whom a message notifies: those its mentions name, outside of code. No more than Discord takes. */
export function mentionedIn(markdown: string): string[] {
  if (!markdown.includes("<@")) return [];
  const shown = markdown.replace(/```[\s\S]*?```|`[^`\n]*`/g, "");
  const ids = [...shown.matchAll(/(?<!\\)<@(\d{1,20})>/g)].map(([, id = ""]) => id);
  return [...new Set(ids)].slice(0, 100);
}

/** Closes marks in the reverse order of their opening. */
class DiscordWriter implements MarkdownWriter {
  private out = "";
  /** The last two characters written. A look into the growing text would copy all of it. */
  private tail = "";
  private stack: readonly number[] = [];
  /** White space behind a marked run: it belongs to the marks on both sides of it, or to none. */
  private pending = "";
  /** What is written next stands where Discord looks for `#`, `>`, `-` and numbers. */
  private atStart = true;

  text(text: string, { marks }: RunStyle): void {
    const core = text.trim();
    const before = text.slice(0, text.length - text.trimStart().length);
    this.space(before, this.openMarks() & marks);
    if (core === "") return;
    this.open(marks);
    this.write(escapeText(core, this.atStart));
    this.space(text.slice(before.length + core.length), marks);
  }

  lineEnd(indent: string): void {
    this.layout(`\n${indent}`);
  }

  layout(text: string): void {
    this.open(0);
    this.put(text);
    this.atStart = true;
  }

  /** A backtick in it is fenced by two; neighbours are parted, because three would begin a block. */
  code(text: string, style: RunStyle): void {
    const shown = joinLines(text).replaceAll(/`(?=`)/g, `\`${ZERO_WIDTH}`);
    if (shown.trim() === "") {
      this.text(shown, style);
      return;
    }
    const fence = shown.includes("`") ? "``" : "`";
    const pad = shown.startsWith("`") || shown.endsWith("`") ? " " : "";
    this.open(style.marks);
    // Two pieces of code in a row would be read as one.
    if (this.tail.endsWith("`")) this.put(ZERO_WIDTH);
    this.write(`${fence}${pad}${shown}${pad}${fence}`);
  }

  /** Backticks that would end the block are broken. */
  pre(text: string, language: string | null): void {
    this.open(0);
    const shown = text.replaceAll(/``(?=`)/g, `\`\`${ZERO_WIDTH}`);
    const lang = language !== null && /^[a-z0-9_+\-.#]+$/i.test(language) ? language : "";
    const body = shown === "" ? " " : shown.endsWith("`") ? shown + ZERO_WIDTH : shown;
    this.put(`\`\`\`${lang}\n${body}\n\`\`\``);
    this.atStart = false;
  }

  /** Discord shows no link whose label looks like another address, so that label and address then stand beside each other. */
  link({ label, url }: MarkdownLink, style: RunStyle): void {
    // A picture in a link leads where the link leads.
    const words = plainInlines(withoutLinks(label)).replaceAll(/\s+/g, " ").trim();
    const address = `<${url.replaceAll(/[\s<>]/g, encodeURIComponent)}>`;
    if (!/^https?:\/\/[^\s/]/i.test(url)) {
      const same = words === "" || url === "" || words === url || url === `mailto:${words}`;
      this.text(same ? words || url : `${words} (${url})`, style);
    } else if (words === "" || words === url || url === `http://${words}`) {
      this.verbatim(address, style.marks);
    } else if (words.includes("://") || /^\S+\.\S{2,}$/.test(words)) {
      this.text(`${words} (`, style);
      this.verbatim(address, style.marks);
      this.text(")", style);
    } else {
      this.verbatim(`[${labelOf(label)}](${address.replaceAll("(", "%28").replaceAll(")", "%29")})`, style.marks);
    }
  }

  mention({ id, name }: { readonly id: string; readonly name: string }, style: RunStyle): void {
    if (/^\d{1,20}$/.test(id)) this.verbatim(`<@${id}>`, style.marks);
    else this.text(`@${name}`, style);
  }

  quote(walk: (inside: MarkdownWriter) => void): void {
    const writer = new DiscordWriter();
    walk(writer);
    const inside = writer.finish();
    if (inside.trim() !== "") this.layout(`> ${inside.replaceAll("\n", "\n> ")}`);
  }

  /** What is Discord's own form already. */
  verbatim(text: string, marks: number): void {
    if (text === "") return;
    this.open(marks);
    this.write(text);
  }

  finish(): string {
    this.open(0);
    return this.out;
  }

  private openMarks(): number {
    return this.stack.reduce((all, mark) => all | mark, 0);
  }

  private space(space: string, marks: number): void {
    if (space === "") return;
    if (marks !== 0) {
      this.pending += space;
      return;
    }
    this.open(0);
    this.put(space);
  }

  private write(text: string): void {
    this.put(text);
    this.atStart = false;
  }

  private put(text: string): void {
    this.out += text;
    this.tail = text.length > 1 ? text.slice(-2) : (this.tail + text).slice(-2);
  }

  /** Closes and opens marks until exactly `wanted` are open; white space that waited goes outside of what is closed. */
  private open(wanted: number): void {
    let kept = 0;
    while (kept < this.stack.length && ((this.stack[kept] ?? 0) & wanted) !== 0) kept += 1;
    const closing = this.stack.slice(kept).toReversed();
    for (const mark of closing) this.put(signOf(mark));
    this.stack = this.stack.slice(0, kept);
    const space = this.pending;
    this.pending = "";
    this.put(space);
    let beside = closing.length > 0 && space === "";
    for (const [mark, sign] of MARKS) {
      if ((wanted & mark) === 0 || this.stack.includes(mark)) continue;
      // `**a***b*` is read differently by different parsers.
      if (beside && /(?:^|[^\\])[*~_|]$/.test(this.tail)) this.put(ZERO_WIDTH);
      beside = false;
      this.put(sign);
      this.stack = [...this.stack, mark];
    }
  }
}

function signOf(mark: number): string {
  return MARKS.find(([known]) => known === mark)?.[1] ?? "";
}

/** The label by itself: its marks are closed inside the brackets. */
function labelOf(label: readonly MdInline[]): string {
  const writer = new DiscordWriter();
  writer.verbatim(ZERO_WIDTH, 0);
  walkInlines(writer, withoutLinks(label), PLAIN_STYLE, "");
  return joinLines(writer.finish().slice(1)).trim();
}

function withoutLinks(inlines: readonly MdInline[]): readonly MdInline[] {
  return inlines.flatMap((inline): readonly MdInline[] => {
    if (inline.type === "link") return withoutLinks(inline.children);
    if (inline.type === "image") return [{ type: "text", text: inline.alt }];
    if (inline.type === "strong" || inline.type === "em" || inline.type === "del" || inline.type === "spoiler")
      return [{ ...inline, children: withoutLinks(inline.children) }];
    return [inline];
  });
}

/** Escapes text so that Discord shows exactly its characters. `atStart`: it begins where a block may begin. */
export function escapeText(text: string, atStart: boolean): string {
  let escaped = "";
  let last = 0;
  for (const match of text.matchAll(KEPT)) {
    escaped += escapeSigns(text.slice(last, match.index)) + match[0];
    last = match.index + match[0].length;
  }
  escaped += escapeSigns(text.slice(last));
  const lines = escaped.split("\n");
  return lines.map((line, index) => (index > 0 || atStart ? escapeLineStart(line) : line)).join("\n");
}

function escapeSigns(text: string): string {
  return text.replace(/[\\`*_~|[\]<]/g, "\\$&");
}

function escapeLineStart(line: string): string {
  return line.replace(/^(\s*)((?!-# \S)[#>+-])/, "$1\\$2").replace(/^(\s*\d+)([.)])/, "$1\\$2");
}

/**
 * What a message takes from (DL-5): the 50 requests a second of the whole bot, with room left for answers to interactions.
 * The limit of a conversation is told by the headers of each answer, which the client keeps to.
 */
export function bucketsOf(): readonly PacingBucket[] {
  return [{ name: BOT_BUCKET, intervalMs: 1000 / 40, burst: 40 }];
}
