/** How a run of text looks, as a bit set. */
export const BOLD = 1;
export const ITALIC = 2;
export const STRUCK = 4;

/** Breaks what Discord would read as one mark, and is invisible to people. */
const ZERO_WIDTH = "\u200b";
const MARKS: readonly (readonly [number, string])[] = [
  [BOLD, "**"],
  [ITALIC, "*"],
  [STRUCK, "~~"],
];

/**
 * Writes Discord Markdown run by run. Marks are closed in the reverse order of their opening, never stand beside white
 * space (Discord would show them), and never beside another mark of the same sign (it would be read as a longer one).
 */
export class DiscordWriter {
  private out = "";
  private stack: readonly number[] = [];
  /** What is written next stands where Discord looks for `#`, `>`, `-` and numbers. */
  private atStart = true;

  /** Text of a person or a model: everything Discord would read as formatting is escaped. */
  text(text: string, marks = 0): void {
    const [, before = "", core = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
    this.raw(before, this.keptMarks(marks));
    if (core === "") return;
    this.open(marks);
    this.write(escapeText(core, this.atStart));
    this.raw(after, marks);
  }

  /** Inline code. A backtick in it is fenced by two; neighbours are parted, because three would begin a block. */
  code(text: string, marks: number): void {
    const shown = text.replaceAll(/\s*\n\s*/g, " ").replaceAll(/`(?=`)/g, `\`${ZERO_WIDTH}`);
    if (shown.trim() === "") {
      this.text(shown, marks);
      return;
    }
    const fence = shown.includes("`") ? "``" : "`";
    const pad = shown.startsWith("`") || shown.endsWith("`") ? " " : "";
    this.open(marks);
    // Two pieces of code in a row would be read as one.
    if (this.out.endsWith("`")) this.out += ZERO_WIDTH;
    this.write(`${fence}${pad}${shown}${pad}${fence}`);
  }

  /** What is Discord's own form already: links, mentions. */
  verbatim(text: string, marks: number): void {
    if (text === "") return;
    this.open(marks);
    this.write(text);
  }

  /** A line end, indentation or bullet: no marks stand open across it. */
  line(text: string): void {
    this.open(0);
    this.out += text;
    this.atStart = true;
  }

  /** A code block. Backticks that would end it are broken. */
  pre(text: string, language: string | null): void {
    this.open(0);
    const shown = text.replaceAll(/``(?=`)/g, `\`\`${ZERO_WIDTH}`).replace(/`$/, `\`${ZERO_WIDTH}`);
    const lang = language !== null && /^[a-z0-9_+\-.#]+$/i.test(language) ? language : "";
    this.out += `\`\`\`${lang}\n${shown === "" ? " " : shown}\n\`\`\``;
    this.atStart = false;
  }

  finish(): string {
    this.open(0);
    return this.out;
  }

  /** White space at the edge of a run belongs to the marks on both sides of it, or to none. */
  private keptMarks(marks: number): number {
    return this.stack.reduce((all, mark) => all | mark, 0) & marks;
  }

  private raw(space: string, marks: number): void {
    if (space === "") return;
    const trailing = marks !== 0 && !space.includes("\n");
    if (trailing) {
      this.pending += space;
      return;
    }
    this.open(0);
    this.out += space;
    if (space.includes("\n")) this.atStart = true;
  }

  private pending = "";

  private write(text: string): void {
    this.out += text;
    this.atStart = false;
  }

  /** Closes and opens marks until exactly `wanted` are open; white space that waited goes outside of what is closed. */
  private open(wanted: number): void {
    let kept = 0;
    while (kept < this.stack.length && ((this.stack[kept] ?? 0) & wanted) !== 0) kept += 1;
    const closing = this.stack.slice(kept).toReversed();
    for (const mark of closing) this.out += signOf(mark);
    this.stack = this.stack.slice(0, kept);
    const space = this.pending;
    this.pending = "";
    this.out += space;
    const opening = MARKS.filter(([mark]) => (wanted & mark) !== 0 && !this.stack.includes(mark));
    for (const [mark, sign] of opening) {
      // `**a***b*` has no reading everybody shares.
      if (space === "" && /[*~_]$/.test(this.out) && !/\\[*~_]$/.test(this.out) && closing.length > 0) {
        this.out += ZERO_WIDTH;
        closing.length = 0;
      }
      this.out += sign;
      this.stack = [...this.stack, mark];
    }
  }
}

function signOf(mark: number): string {
  return MARKS.find(([known]) => known === mark)?.[1] ?? "";
}

/** Mentions of one person and links to channels stay what they are; nothing else in angle brackets may. */
const KEPT = /<(?:@!?|#)\d{1,20}>/g;

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
  return line.replace(/^(\s*)([#>+-])/, "$1\\$2").replace(/^(\s*\d+)([.)])/, "$1\\$2");
}
