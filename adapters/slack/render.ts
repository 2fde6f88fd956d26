import type { PacingBucket } from "../../src/channel/capabilities.ts";
import {
  BOLD,
  ITALIC,
  joinLines,
  type MarkdownDialect,
  type MarkdownLink,
  type MarkdownWriter,
  type RunStyle,
  SPOILER,
  STRUCK,
  walkMarkdown,
} from "../../src/channel/markdown-walker.ts";
import type { Route } from "../../src/core/delivery/delivery.ts";
import type { MdInline, MdNode } from "../../src/core/text/markdown-tree.ts";
import { plainInlines, plainText } from "../../src/core/text/plain-text.ts";

/*
 * Slack's dialect: mrkdwn (https://docs.slack.dev/messaging/formatting-message-text).
 *
 * - `&`, `<` and `>` are escaped everywhere, or a text could mention people (DL-8). mrkdwn has no escape for its own marks: a
 *   literal `*x*` that the author escaped may still show bold.
 * - Nor has it one for the backtick, which pairs with any other in the line: a literal one is written as its look-alike `ˋ`.
 * - A line of a quote that begins with code is shown empty; a zero width stands before it.
 * - `*bold*`, `_italic_`, `~struck~`, each only at the border of a word and within one line; a zero width sets them off.
 * - No headings (bold), lists (`•`, numbers, boxes), tables (aligned code) or pictures (links); a quote stands in no quote.
 * - Code blocks are found at the start of a line only, so in a quote they stand without its sign.
 * - Links: `http(s)` and `mailto:`, with a label without marks.
 * - A message holds 4,000 UTF-16 units as it is sent, escapes and marks included (DL-6).
 */
const DIALECT: MarkdownDialect = { bullet: "•", boxIsBullet: true, headingLevels: 0, looseLists: true };
const ALLOWED_LINK = /^(?:https?:\/\/[^\s/]|mailto:[^\s])/i;
/** Invisible; stands where a mark would touch a letter. */
const ZERO_WIDTH = "\u200b";
const FENCE = "```";
const TICK_ALIKE = "\u02cb";

export interface SlackRendering {
  /** For `text` of chat.postMessage and chat.update: it notifies only people of the conversation (DL-8). */
  readonly mrkdwn: string;
  /** The plain form of the same piece (DL-7). */
  readonly plain: string;
  /** UTF-16 units of the text as it is sent, escapes and marks included: that is what Slack limits (DL-6). */
  readonly length: number;
}

/** Renders a Markdown tree as Slack mrkdwn. */
export function renderSlack(nodes: readonly MdNode[]): SlackRendering {
  const writer = new MrkdwnWriter();
  walkMarkdown(writer, DIALECT, nodes);
  const mrkdwn = writer.finish();
  return { mrkdwn, plain: plainText(nodes), length: mrkdwn.length };
}

/** The three characters that have a meaning on Slack's wire; every text must pass here, or it could mention people (DL-8). */
export function escapeMrkdwn(text: string): string {
  if (!/[&<>]/.test(text)) return text;
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

/** Each run closes its own marks on every line, so the result is always well formed. */
class MrkdwnWriter implements MarkdownWriter {
  private out = "";
  /** The last character written. A look into the growing text would copy all of it. */
  private last = "";
  /** The last run ended with a mark: a letter right behind it would undo it. */
  private afterMark = false;
  /** Slack hides nothing: the signs of a spoiler stand around it, once for all its runs in a line. */
  private inSpoiler = false;

  text(text: string, { marks }: RunStyle): void {
    this.marked(escapeMrkdwn(text).replaceAll("`", TICK_ALIKE), marks);
  }

  lineEnd(indent: string): void {
    this.layout(`\n${indent}`);
  }

  layout(text: string): void {
    this.spoiler(false);
    this.put(text);
    this.afterMark = false;
  }

  /** One line; marks stand outside. */
  code(text: string, style: RunStyle): void {
    const line = joinLines(text);
    if (line.trim() === "") this.text(line, style);
    else this.marked(`\`${escapeMrkdwn(line).replaceAll("`", TICK_ALIKE)}\``, style.marks, true);
  }

  link({ label, url }: MarkdownLink, style: RunStyle): void {
    const words = labelOf(label);
    if (ALLOWED_LINK.test(url)) {
      const address = escapeMrkdwn(url.replace(/[<>|]/g, (char) => encodeURIComponent(char)));
      const shown = escapeMrkdwn(joinLines(words)).trim();
      this.marked(shown === "" || words === url ? `<${address}>` : `<${address}|${shown}>`, style.marks);
    } else if (words === "" || url === "") this.text(words === "" ? url : joinLines(words), style);
    else this.text(`${joinLines(words)} (${url})`, style);
  }

  mention({ id, name }: { readonly id: string; readonly name: string }, style: RunStyle): void {
    if (/^[UW][A-Z0-9]+$/.test(id)) this.marked(`<@${id}>`, style.marks);
    else this.text(`@${name}`, style);
  }

  /** A fence inside the code is broken, or the rest would fall out of the block. */
  pre(text: string): void {
    if (text === "") return;
    const body = escapeMrkdwn(text).replaceAll(FENCE, `\`\`${ZERO_WIDTH}\``);
    this.layout(`${FENCE}\n${body}\n${FENCE}`);
  }

  /** `> ` before every line, except those of code. */
  quote(walk: (inside: MarkdownWriter) => void): void {
    const inside = new MrkdwnWriter();
    walk(inside);
    let inCode = false;
    const lines = inside
      .finish()
      .split("\n")
      .map((line) => {
        const isFence = line.startsWith(FENCE);
        const bare = isFence || inCode;
        if (isFence) inCode = !inCode;
        if (bare) return line;
        return /^[*_~|]*`/.test(line) ? `> ${ZERO_WIDTH}${line}` : `> ${line}`;
      });
    this.layout(lines.join("\n"));
  }

  finish(): string {
    this.spoiler(false);
    return this.out;
  }

  private put(text: string): void {
    this.out += text;
    if (text !== "") this.last = text.charAt(text.length - 1);
  }

  private spoiler(inside: boolean): void {
    if (this.inSpoiler === inside) return;
    this.put("||");
    this.inSpoiler = inside;
    this.afterMark = false;
  }

  private marked(escaped: string, marks: number, isCode = false): void {
    if (escaped.trim() !== "") this.spoiler((marks & SPOILER) !== 0);
    const core = escaped.trim();
    if (core === "") {
      this.put(escaped);
      if (escaped !== "") this.afterMark = false;
      return;
    }
    const open = markOf(marks);
    const close = [...open].reverse().join("");
    const isMarked = open !== "" || isCode;
    const before = escaped.slice(0, escaped.length - escaped.trimStart().length);
    const after = escaped.slice(before.length + core.length);
    const last = before === "" ? this.last : "";
    const joins = isMarked ? touches(last) : this.afterMark && before === "" && touches(core.charAt(0));
    // At the start of a line these would make a quote of literal text.
    const quoted = !isMarked && before === "" && (last === "" || last === "\n") && core.startsWith("&gt;");
    this.put(`${before}${joins || quoted ? ZERO_WIDTH : ""}${open}${core}${close}${after}`);
    this.afterMark = isMarked && after === "";
  }
}

/** Slack shows no marks inside a link; a picture that is a link leads where the link leads. */
function labelOf(label: readonly MdInline[]): string {
  const pictures = label.map((child): MdInline => (child.type === "image" ? { type: "text", text: child.alt } : child));
  return plainInlines(pictures);
}

function markOf(marks: number): string {
  return `${marks & BOLD ? "*" : ""}${marks & ITALIC ? "_" : ""}${marks & STRUCK ? "~" : ""}`;
}

function touches(char: string): boolean {
  return char !== "" && !/[\s([{"'.,;:!?)\]}\u200b—–-]/.test(char);
}

/** Threads share the limit of their channel, so the bucket is the channel's and not the route's. */
export function channelBucket(channel: string): string {
  return `channel:${channel}`;
}

/** DL-5: one message a second per channel, with bursts of 5. */
export function bucketsOf(route: Route): readonly PacingBucket[] {
  return [{ name: channelBucket(route.to), intervalMs: 1000, burst: 5 }];
}
