import { assertNever } from "../../src/core/runtime.ts";
import type { MdBlock, MdInline, MdListItem, MdNode } from "../../src/core/text/markdown-tree.ts";
import { plainInlines, plainText, RULE_TEXT, tableAsText } from "../../src/core/text/plain-text.ts";
import { BOLD, DiscordWriter, ITALIC, STRUCK } from "./writer.ts";

export interface DiscordRendering {
  readonly markdown: string;
  readonly plain: string;
  /** UTF-16 units with every mark and escape, which is what Discord limits (DL-6). */
  readonly length: number;
}

/**
 * Renders a Markdown tree as Discord's own Markdown: three levels of headings, deeper ones bold; lists keep their nesting;
 * tables are aligned code blocks; a quote inside a quote or a list keeps only its text; images are links. Addresses stand in
 * angle brackets, so that they are exact and unfold into no preview. Only `http(s)` is a link.
 */
export function renderDiscord(nodes: readonly MdNode[]): DiscordRendering {
  const markdown = blocks(nodes, false);
  return { markdown, plain: plainText(nodes), length: markdown.length };
}

function blocks(nodes: readonly MdBlock[], nested: boolean): string {
  const writer = new DiscordWriter();
  writeBlocks(writer, nodes, { indent: "", nested });
  return writer.finish();
}

interface Place {
  /** Written after every line end of text in lists. */
  readonly indent: string;
  /** Inside a quote or a list, where Discord knows no further quote. */
  readonly nested: boolean;
}

function writeBlocks(writer: DiscordWriter, all: readonly MdBlock[], place: Place, gap = "\n\n"): void {
  for (const [index, block] of all.entries()) {
    if (index > 0) writer.line(gap);
    if (index > 0 && !standsAtMargin(block, place)) writer.line(place.indent);
    writeBlock(writer, block, place);
  }
}

/** Blocks that bring their own indentation, or must not get one. */
function standsAtMargin(block: MdBlock, place: Place): boolean {
  if (block.type === "quote") return !place.nested;
  return block.type === "list" || block.type === "codeBlock" || block.type === "table";
}

function writeBlock(writer: DiscordWriter, block: MdBlock, place: Place): void {
  switch (block.type) {
    case "paragraph":
      writeInlines(writer, block.children, 0, place.indent);
      break;
    case "heading":
      writeHeading(writer, block, place);
      break;
    case "codeBlock":
      writer.pre(block.text, block.lang);
      break;
    case "table":
      writer.pre(tableAsText(block), null);
      break;
    case "quote":
      if (place.nested) writeBlocks(writer, block.children, place);
      else writeQuote(writer, block.children);
      break;
    case "list":
      for (const [index, item] of block.items.entries()) {
        if (index > 0) writer.line("\n");
        writeItem(writer, item, block.ordered ? `${block.start + index}.` : "-", place);
      }
      break;
    case "rule":
      writer.text(RULE_TEXT);
      break;
    default:
      assertNever(block);
  }
}

function writeHeading(
  writer: DiscordWriter,
  { level, children }: Extract<MdBlock, { type: "heading" }>,
  { indent }: Place,
): void {
  if (plainInlines(children).trim() === "") return;
  if (level <= 3) writer.line(`${"#".repeat(level)} `);
  writeInlines(writer, children, level <= 3 ? 0 : BOLD, indent);
}

function writeQuote(writer: DiscordWriter, children: readonly MdBlock[]): void {
  const inner = blocks(children, true);
  if (inner.trim() === "") return;
  writer.line(`> ${inner.replaceAll("\n", "\n> ")}`);
}

function writeItem(writer: DiscordWriter, item: MdListItem, bullet: string, place: Place): void {
  const box = item.checked === null ? "" : item.checked ? "☑ " : "☐ ";
  const indent = `${place.indent}${" ".repeat(bullet.length + 1)}`;
  const [first] = item.children;
  writer.line(item.continued ? indent : `${place.indent}${bullet} ${box}`);
  if (first !== undefined && standsAtMargin(first, { indent, nested: true })) writer.line("\n");
  writeBlocks(writer, item.children, { indent, nested: true }, "\n");
}

function writeInlines(writer: DiscordWriter, inlines: readonly MdInline[], marks: number, indent: string): void {
  for (const inline of inlines) {
    switch (inline.type) {
      case "text":
        writeText(writer, inline.text, marks, indent);
        break;
      case "code":
        writer.code(inline.text, marks);
        break;
      case "strong":
        writeInlines(writer, inline.children, marks | BOLD, indent);
        break;
      case "em":
        writeInlines(writer, inline.children, marks | ITALIC, indent);
        break;
      case "del":
        writeInlines(writer, inline.children, marks | STRUCK, indent);
        break;
      case "link":
        writeLink(writer, inline.children, inline.url, marks);
        break;
      case "image":
        writeLink(writer, inline.alt === "" ? [] : [{ type: "text", text: inline.alt }], inline.url, marks);
        break;
      case "break":
        writer.line(`\n${indent}`);
        break;
      default:
        assertNever(inline);
    }
  }
}

function writeText(writer: DiscordWriter, text: string, marks: number, indent: string): void {
  for (const [index, line] of text.split("\n").entries()) {
    if (index > 0) writer.line(`\n${indent}`);
    writer.text(line, marks);
  }
}

/** Discord shows no link whose label looks like another address, so that label and address then stand beside each other. */
function writeLink(writer: DiscordWriter, label: readonly MdInline[], url: string, marks: number): void {
  const words = plainInlines(label).replaceAll(/\s+/g, " ").trim();
  const address = `<${url.replaceAll(/[\s<>]/g, encodeURIComponent)}>`;
  if (!/^https?:\/\/[^\s/]/i.test(url)) {
    const same = words === "" || words === url || url === `mailto:${words}`;
    writer.text(same ? words || url : `${words} (${url})`, marks);
  } else if (words === "" || words === url || url === `http://${words}`) {
    writer.verbatim(address, marks);
  } else if (/:\/\/|^\S+\.\S{2,}$/.test(words)) {
    writer.text(`${words} (`, marks);
    writer.verbatim(address, marks);
    writer.text(")", marks);
  } else {
    writer.verbatim(`[${labelOf(label)}](${address.replaceAll("(", "%28").replaceAll(")", "%29")})`, marks);
  }
}

/** The label by itself: its marks are closed inside the brackets. */
function labelOf(label: readonly MdInline[]): string {
  const writer = new DiscordWriter();
  writer.verbatim("\u200b", 0);
  writeInlines(writer, withoutLinks(label), 0, "");
  return writer
    .finish()
    .slice(1)
    .replaceAll(/\s*\n\s*/g, " ")
    .trim();
}

function withoutLinks(inlines: readonly MdInline[]): readonly MdInline[] {
  return inlines.flatMap((inline): readonly MdInline[] => {
    if (inline.type === "link") return withoutLinks(inline.children);
    if (inline.type === "image") return [{ type: "text", text: inline.alt }];
    if (inline.type === "strong" || inline.type === "em" || inline.type === "del")
      return [{ ...inline, children: withoutLinks(inline.children) }];
    return [inline];
  });
}
