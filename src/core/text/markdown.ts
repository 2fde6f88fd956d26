import MarkdownIt, { type Env, type StateBlock, type Token } from "markdown-it";
import { convertInlines } from "./markdown-inline.ts";
import type { MdAlign, MdBlock, MdCell, MdListItem, MdNode } from "./markdown-tree.ts";

export type { MdAlign, MdBlock, MdCell, MdInline, MdListItem, MdNode } from "./markdown-tree.ts";

/** Deeper nesting is shown as its source; it bounds indentation, recursion and what a renderer must decorate. */
const MAX_DEPTH = 8;
/** Longer texts are files, not messages; they are shown as plain paragraphs. */
const MAX_SOURCE = 512 * 1024;
/** C0 controls other than tab and newline, and DEL: platforms refuse or drop them. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
/** A line of 40 quote marks or bullets; it would be parsed level by level, each over all the rest. */
const DEEP_LINE = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){40}/m;
const DEFINITION =
  /^ {0,3}\[([^[\]\n]{1,200})\]:[ \t]{0,20}<?([^\s<>]{1,4096})>?(?:[ \t]{1,20}(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$/;
const TASK = /^\[([ xX])\][ \t]+(?=\S)/;
/** The most lines a separate formula may have. */
const MAX_FORMULA_LINES = 50;

/**
 * Parses model Markdown (CommonMark with GFM) into the one tree that is split and rendered (DL-7). Raw HTML becomes plain text
 * (`<br>` a line break), formulas stay as they are written, lone surrogates become U+FFFD, control characters go, and a
 * reference definition that no link uses stays visible as text. Never throws; linear in the length of the text.
 */
export function parseMarkdown(text: string): MdNode[] {
  const source = text.toWellFormed().replace(/\r\n?/g, "\n").replace(CONTROLS, "");
  if (source.length > MAX_SOURCE || DEEP_LINE.test(source)) return plainParagraphs(source);
  try {
    const env: Env = {};
    const tokens: Token[] = [];
    parser.block.parse(source, parser, env, tokens);
    return new Converter(source, tokens, env).convert();
  } catch (error) {
    // The parser recurses per nesting level and may run out of stack on hostile text; the text must still reach people.
    if (error instanceof RangeError) return plainParagraphs(source);
    throw error;
  }
}

function plainParagraphs(source: string): MdNode[] {
  return source
    .split(/\n{2,}/)
    .filter((part) => part.trim() !== "")
    .map((part) => ({ type: "paragraph", children: [{ type: "text", text: part }] }));
}

/** Lines of a formula that stands by itself (`\[`, `$$`): no list, heading or emphasis in it. */
function formulaBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const line = (at: number): string =>
    state.src.slice((state.bMarks[at] ?? 0) + (state.tShift[at] ?? 0), state.eMarks[at]);
  const first = line(startLine);
  const closer = first.startsWith("$$") ? "$$" : first.startsWith("\\[") ? "\\]" : null;
  if (closer === null) return false;
  for (let at = startLine; at < Math.min(endLine, startLine + MAX_FORMULA_LINES); at += 1) {
    const found = at === startLine ? first.slice(2) : line(at);
    if ((at > startLine && state.isEmpty(at)) || (state.sCount[at] ?? 0) < state.blkIndent) return false;
    if (!found.trimEnd().endsWith(closer)) continue;
    if (silent) return true;
    const token = state.push("verbatim", "", 0);
    token.content = state.getLines(startLine, at + 1, state.blkIndent, false);
    state.line = at + 1;
    return true;
  }
  return false;
}

/** `[label]: address` on a line of its own. The line is kept for when no link uses it. */
function definition(state: StateBlock, startLine: number, _endLine: number, silent: boolean): boolean {
  if (state.src.charCodeAt((state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0)) !== 91) return false;
  const line = state.getLines(startLine, startLine + 1, state.blkIndent, false);
  const [, label, href] = DEFINITION.exec(line) ?? [];
  if (label === undefined || href === undefined || label.trim() === "") return false;
  if (silent) return true;
  const { unescapeAll, normalizeReference } = state.md.utils;
  const address = unescapeAll(href);
  state.env.references ??= {};
  state.env.references[normalizeReference(label)] ??= { href: address, title: "" };
  const token = state.push("definition", "", 0);
  token.content = line;
  token.info = address;
  state.line = startLine + 1;
  return true;
}

// Nesting is not bounded here but by depth and length: what the parser leaves out for it would be lost.
const parser = new MarkdownIt({ html: true, maxNesting: Number.MAX_SAFE_INTEGER });
parser.block.ruler.at("reference", definition);
parser.block.ruler.before("fence", "formula", formulaBlock, { alt: ["paragraph", "reference", "blockquote", "list"] });

/** Turns the flat tokens of the blocks into the tree. */
class Converter {
  private readonly source: string;
  private readonly tokens: readonly Token[];
  private readonly env: Env;
  private at = 0;
  private lines: readonly string[] | null = null;
  /** Addresses that links use, and the definitions that wait to know whether theirs is among them. */
  private readonly used = new Set<string>();
  private readonly definitions = new Map<MdBlock, string>();

  constructor(source: string, tokens: readonly Token[], env: Env) {
    this.source = source;
    this.tokens = tokens;
    this.env = env;
  }

  convert(): MdNode[] {
    const blocks = this.blocks("", 0);
    return this.definitions.size === 0 ? blocks : this.withoutUsed(blocks);
  }

  private blocks(end: string, depth: number): MdBlock[] {
    const blocks: MdBlock[] = [];
    for (; this.at < this.tokens.length; this.at += 1) {
      const token = this.tokens[this.at];
      if (token === undefined || token.type === end) break;
      const block = this.block(token, depth);
      if (block !== null) blocks.push(block);
    }
    return blocks;
  }

  private block(token: Token, depth: number): MdBlock | null {
    switch (token.type) {
      case "inline":
        return this.paragraph(token.content);
      case "heading_open": {
        this.at += 1;
        const children = this.inlines(this.tokens[this.at]?.content ?? "");
        return { type: "heading", level: Number(token.tag.slice(1)), children };
      }
      case "fence":
      case "code_block":
        return { type: "codeBlock", lang: languageOf(token.info), text: token.content.replace(/\n$/, "") };
      case "blockquote_open": {
        if (depth >= MAX_DEPTH) return this.raw(token, "blockquote_close");
        this.at += 1;
        const children = this.blocks("blockquote_close", depth + 1);
        return children.length === 0 ? null : { type: "quote", children };
      }
      case "bullet_list_open":
      case "ordered_list_open":
        return this.list(token, depth);
      case "table_open":
        return this.table();
      case "hr":
        return { type: "rule" };
      case "html_block":
      case "verbatim":
        return textParagraph(token.content);
      case "definition": {
        const block = textParagraph(token.content);
        if (block !== null) this.definitions.set(block, token.info);
        return block;
      }
      default:
        return null;
    }
  }

  private list(open: Token, depth: number): MdBlock | null {
    const close = open.type.replace("open", "close");
    if (depth >= MAX_DEPTH) return this.raw(open, close);
    const items: MdListItem[] = [];
    let loose = false;
    for (this.at += 1; this.tokens[this.at]?.type !== close; this.at += 1) {
      this.at += 1;
      const [first, second] = [this.tokens[this.at], this.tokens[this.at + 1]];
      if (first?.type === "paragraph_open" && !first.hidden) loose = true;
      const task = first?.type === "paragraph_open" && second !== undefined ? TASK.exec(second.content) : null;
      if (task !== null && second !== undefined) second.content = second.content.slice(task[0].length);
      items.push({
        checked: task === null ? null : task[1] !== " ",
        continued: false,
        children: this.blocks("list_item_close", depth + 1),
      });
    }
    const ordered = open.type === "ordered_list_open";
    return { type: "list", ordered, start: ordered ? Number(open.attrGet("start") ?? 1) : 1, loose, items };
  }

  private table(): MdBlock {
    const align: MdAlign[] = [];
    const rows: MdCell[][] = [];
    for (; this.tokens[this.at]?.type !== "table_close"; this.at += 1) {
      const token = this.tokens[this.at];
      if (token?.type === "tr_open") rows.push([]);
      else if (token?.type === "th_open") align.push(alignOf(token));
      else if (token?.type === "inline") rows.at(-1)?.push(this.inlines(token.content));
    }
    const [header = [], ...others] = rows;
    return { type: "table", align, header, rows: others };
  }

  /** A block that is nested too deep, as it is written. */
  private raw(open: Token, close: string): MdBlock | null {
    while (this.tokens[this.at]?.type !== close || this.tokens[this.at]?.level !== open.level) this.at += 1;
    this.lines ??= this.source.split("\n");
    return textParagraph(this.lines.slice(open.map?.[0] ?? 0, open.map?.[1] ?? 0).join("\n"));
  }

  private paragraph(content: string): MdBlock | null {
    const children = this.inlines(content);
    return children.length === 0 ? null : { type: "paragraph", children };
  }

  private inlines(content: string): MdCell {
    return convertInlines(content, this.env, this.used);
  }

  /** Removes the definitions that links use; the others (`[Alice]: hi`) are text. */
  private withoutUsed(blocks: readonly MdBlock[]): MdBlock[] {
    return blocks.flatMap((block): MdBlock[] => {
      if (this.used.has(this.definitions.get(block) ?? "")) return [];
      if (block.type === "quote") return [{ ...block, children: this.withoutUsed(block.children) }];
      if (block.type !== "list") return [block];
      return [{ ...block, items: block.items.map((item) => ({ ...item, children: this.withoutUsed(item.children) })) }];
    });
  }
}

function alignOf(cell: Token): MdAlign {
  const side = /text-align:(left|right|center)/.exec(String(cell.attrGet("style") ?? ""))?.[1];
  return side === "left" || side === "right" || side === "center" ? side : null;
}

function languageOf(info: string): string | null {
  return /^[\w+#.-]{1,32}(?![^\s{,:])/.exec(info.trim())?.[0] ?? null;
}

function textParagraph(raw: string): MdBlock | null {
  const text = raw.replace(/^\n+/, "").trimEnd();
  return text === "" ? null : { type: "paragraph", children: [{ type: "text", text }] };
}
