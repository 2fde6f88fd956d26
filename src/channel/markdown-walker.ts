import { assertNever } from "../core/runtime.ts";
import type { MdBlock, MdInline, MdListItem } from "../core/text/markdown-tree.ts";
import { plainInlines, RULE_TEXT, tableAsText } from "../core/text/plain-text.ts";

/** Marks of a run of text, as a bit set. */
export const BOLD = 1;
export const ITALIC = 2;
export const STRUCK = 4;
export const SPOILER = 8;

/** How a run of text looks; `href`: the link it is part of. */
export interface RunStyle {
  readonly marks: number;
  readonly href: string | null;
}

export const PLAIN_STYLE: RunStyle = { marks: 0, href: null };

/** What differs between platforms that show a message as lines of text. Their escapes are in their writers. */
export interface MarkdownDialect {
  readonly bullet: string;
  /** A task's box stands where the bullet would; otherwise behind it. */
  readonly boxIsBullet: boolean;
  /** Headings up to this level have a sign of the platform's; deeper ones are bold. */
  readonly headingLevels: number;
  /** Items that stand apart in the source stand apart in the message. */
  readonly looseLists: boolean;
}

/** Writes what the walker visits. `finish` returns well-formed text after any sequence of calls. */
export interface MarkdownWriter {
  /** A run of text without line ends. Everything the platform would read as formatting is escaped. */
  text(text: string, style: RunStyle): void;
  /** A line end inside a run, and the indentation behind it. */
  lineEnd(indent: string, style: RunStyle): void;
  /** Space between blocks, indentation and bullets: no mark stays open across it. */
  layout(text: string): void;
  code(text: string, style: RunStyle): void;
  pre(text: string, language: string | null): void;
  /** `walk` writes the label as runs; only the first link of nested ones leads anywhere. */
  link(link: MarkdownLink, style: RunStyle, walk: (label: readonly MdInline[], style: RunStyle) => void): void;
  /** A person who is notified (DL-8). */
  mention(person: { readonly id: string; readonly name: string }, style: RunStyle): void;
  quote(walk: (inside: MarkdownWriter) => void): void;
}

export interface MarkdownLink {
  readonly label: readonly MdInline[];
  readonly url: string;
}

interface Place {
  readonly dialect: MarkdownDialect;
  /** Written after every line end of text in lists. */
  readonly indent: string;
  /** Inside a quote or a list, where a quote keeps only its text. */
  readonly nested: boolean;
}

/** Walks a tree once and writes it as lines (DL-7). Lists get bullets, numbers or boxes and indentation; tables are aligned code. */
export function walkMarkdown(writer: MarkdownWriter, dialect: MarkdownDialect, nodes: readonly MdBlock[]): void {
  writeBlocks(writer, nodes, { dialect, indent: "", nested: false });
}

/** {@link walkMarkdown} for a run of inline content, such as a link's label. */
export function walkInlines(
  writer: MarkdownWriter,
  inlines: readonly MdInline[],
  style: RunStyle,
  indent: string,
): void {
  for (const inline of inlines) {
    switch (inline.type) {
      case "text":
        writeLines(writer, inline.text, style, indent);
        break;
      case "code":
        writer.code(inline.text, style);
        break;
      case "strong":
        walkInlines(writer, inline.children, marked(style, BOLD), indent);
        break;
      case "em":
        walkInlines(writer, inline.children, marked(style, ITALIC), indent);
        break;
      case "del":
        walkInlines(writer, inline.children, marked(style, STRUCK), indent);
        break;
      case "spoiler":
        walkInlines(writer, inline.children, marked(style, SPOILER), indent);
        break;
      case "link":
        writeLink(writer, { label: inline.children, url: inline.url }, style, indent);
        break;
      case "image": {
        const label: readonly MdInline[] = inline.alt === "" ? [] : [{ type: "text", text: inline.alt }];
        writeLink(writer, { label, url: inline.url }, style, indent);
        break;
      }
      case "mention":
        writer.mention(inline, style);
        break;
      case "break":
        writer.lineEnd(indent, style);
        break;
      default:
        assertNever(inline);
    }
  }
}

function marked(style: RunStyle, mark: number): RunStyle {
  return { ...style, marks: style.marks | mark };
}

function writeLines(writer: MarkdownWriter, text: string, style: RunStyle, indent: string): void {
  if (!text.includes("\n")) {
    writer.text(text, style);
    return;
  }
  for (const [index, line] of text.split("\n").entries()) {
    if (index > 0) writer.lineEnd(indent, style);
    writer.text(line, style);
  }
}

function writeLink(writer: MarkdownWriter, link: MarkdownLink, style: RunStyle, indent: string): void {
  writer.link(link, style, (label, labelStyle) => walkInlines(writer, label, labelStyle, indent));
}

function writeBlocks(writer: MarkdownWriter, blocks: readonly MdBlock[], place: Place, gap = "\n\n"): void {
  for (const [index, block] of blocks.entries()) {
    if (index > 0) writer.layout(gap);
    if (index > 0 && !standsAtMargin(block, place.nested)) writer.layout(place.indent);
    writeBlock(writer, block, place);
  }
}

/** Blocks that bring their own indentation, or must not get one. */
function standsAtMargin(block: MdBlock, nested: boolean): boolean {
  if (block.type === "quote") return !nested;
  return block.type === "list" || block.type === "codeBlock" || block.type === "table";
}

function writeBlock(writer: MarkdownWriter, block: MdBlock, place: Place): void {
  const { dialect } = place;
  switch (block.type) {
    case "paragraph":
      walkInlines(writer, block.children, PLAIN_STYLE, place.indent);
      break;
    case "heading":
      if (plainInlines(block.children).trim() === "") break;
      if (block.level <= dialect.headingLevels) {
        writer.layout(`${"#".repeat(block.level)} `);
        walkInlines(writer, block.children, PLAIN_STYLE, place.indent);
      } else walkInlines(writer, block.children, marked(PLAIN_STYLE, BOLD), place.indent);
      break;
    case "codeBlock":
      writer.pre(block.text, block.lang);
      break;
    case "table":
      writer.pre(tableAsText(block), null);
      break;
    case "quote":
      if (place.nested) writeBlocks(writer, block.children, place);
      else writer.quote((inside) => writeBlocks(inside, block.children, { dialect, indent: "", nested: true }));
      break;
    case "list":
      for (const [index, item] of block.items.entries()) {
        if (index > 0) writer.layout(block.loose && dialect.looseLists ? "\n\n" : "\n");
        writeItem(writer, item, block.ordered ? `${block.start + index}.` : dialect.bullet, place);
      }
      break;
    case "rule":
      writer.text(RULE_TEXT, PLAIN_STYLE);
      break;
    default:
      assertNever(block);
  }
}

function writeItem(writer: MarkdownWriter, item: MdListItem, bullet: string, place: Place): void {
  const { dialect } = place;
  const box = item.checked === null ? "" : item.checked ? "☑" : "☐";
  const sign = box === "" ? bullet : dialect.boxIsBullet ? box : `${bullet} ${box}`;
  const indent = `${place.indent}${" ".repeat(bullet.length + 1)}`;
  const [first] = item.children;
  writer.layout(item.continued ? indent : `${place.indent}${sign} `);
  if (first !== undefined && standsAtMargin(first, true)) writer.layout("\n");
  writeBlocks(writer, item.children, { dialect, indent, nested: true }, "\n");
}

/** A text of several lines in one, for places that have no line ends. */
export function joinLines(text: string): string {
  if (!text.includes("\n")) return text;
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
}
