/** Marks of a run of text, as a bit set. */
export const BOLD = 1;
export const ITALIC = 2;
export const STRIKE = 4;

/** Invisible; stands where a mark would touch a letter, because Slack shows marks only at the border of a word. */
const ZERO_WIDTH = "\u200b";
const FENCE = "```";

/** The three characters that have a meaning on Slack's wire; every text must pass here, or it could mention people (DL-8). */
export function escapeMrkdwn(text: string): string {
  if (!/[&<>]/.test(text)) return text;
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

/**
 * Writes Slack mrkdwn run by run. Each run closes its own marks, on every line anew, since none may stretch over a line's
 * end; so whatever is written is well formed.
 */
export class MrkdwnWriter {
  private out = "";
  /** The last run ended with a mark: a letter right behind it would undo it. */
  private afterMark = false;

  text(text: string, marks = 0): void {
    for (const [index, line] of text.split("\n").entries()) {
      if (index > 0) this.raw("\n");
      this.marked(escapeMrkdwn(line), marks);
    }
  }

  /** One line; marks stand outside. What holds a backtick cannot be code and is written as it is. */
  code(text: string, marks: number): void {
    const line = text.replace(/\s*\n\s*/g, " ");
    if (line.trim() === "" || line.includes("`")) this.text(line, marks);
    else this.marked(`\`${escapeMrkdwn(line)}\``, marks, true);
  }

  link(url: string, label: string, marks: number): void {
    const address = escapeMrkdwn(url.replace(/[<>|]/g, (char) => encodeURIComponent(char)));
    const shown = escapeMrkdwn(label.replace(/\s*\n\s*/g, " ")).trim();
    this.marked(shown === "" || label === url ? `<${address}>` : `<${address}|${shown}>`, marks);
  }

  /** A block of code; a fence inside it is broken, or the rest would fall out of the block. */
  fence(text: string): void {
    const body = escapeMrkdwn(text).replaceAll(FENCE, `\`\`${ZERO_WIDTH}\``);
    this.raw(`${FENCE}\n${body}\n${FENCE}`);
  }

  raw(text: string): void {
    this.out += text;
    this.afterMark = false;
  }

  finish(): string {
    return this.out;
  }

  private marked(escaped: string, marks: number, isCode = false): void {
    const core = escaped.trim();
    if (core === "") {
      this.out += escaped;
      if (escaped !== "") this.afterMark = false;
      return;
    }
    const open = markOf(marks);
    const close = [...open].reverse().join("");
    const isMarked = open !== "" || isCode;
    const before = escaped.slice(0, escaped.indexOf(core));
    const after = escaped.slice(before.length + core.length);
    const last = before === "" ? this.out.slice(-1) : "";
    const joins = isMarked ? touches(last) : this.afterMark && before === "" && touches(core[0] ?? "");
    // At the start of a line these would make a quote of literal text.
    const quoted = !isMarked && /(?:^|\n)$/.test(this.out + before) && core.startsWith("&gt;");
    this.out += `${before}${joins || quoted ? ZERO_WIDTH : ""}${open}${core}${close}${after}`;
    this.afterMark = isMarked && after === "";
  }
}

function markOf(marks: number): string {
  return `${marks & BOLD ? "*" : ""}${marks & ITALIC ? "_" : ""}${marks & STRIKE ? "~" : ""}`;
}

function touches(char: string): boolean {
  return char !== "" && !/[\s([{"'.,;:!?)\]}\u200b—–-]/.test(char);
}
