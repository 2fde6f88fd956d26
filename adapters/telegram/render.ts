import { assertNever } from "../../src/core/runtime.ts";
import type { MdBlock, MdInline, MdListItem, MdNode } from "../../src/core/text/markdown-tree.ts";
import { plainText, RULE_TEXT, tableAsText } from "../../src/core/text/plain-text.ts";
import { HtmlWriter, type Style } from "./html-writer.ts";

export interface TelegramRendering {
  /** For `parse_mode: "HTML"`: only tags and nestings that the Bot API allows. */
  readonly html: string;
  /** The plain form of the same piece, for when the platform refuses the formatting (DL-7, FC-064). */
  readonly plain: string;
  /** UTF-16 units of the text that remains when the entities are parsed, which is what Telegram limits (DL-6). */
  readonly length: number;
}

/**
 * Renders a Markdown tree as Telegram HTML. Headings are bold; lists get bullets, numbers or boxes and indentation;
 * tables are aligned `<pre>`; images are links; a quote inside a quote or a list keeps only its text. Links are
 * `http(s)`, `tg:` (no user mentions, DL-8) and `mailto:`; other addresses are written behind their label.
 */
export function renderTelegram(nodes: readonly MdNode[]): TelegramRendering {
  const writer = new HtmlWriter();
  writeBlocks(writer, nodes, { indent: "", nested: false });
  const { html, length } = writer.finish();
  return { html, length, plain: plainText(nodes) };
}

interface Place {
  /** Written after every line end of text in lists. */
  readonly indent: string;
  /** Inside a quote or a list, where Telegram allows no further quote. */
  readonly nested: boolean;
}

function writeBlocks(writer: HtmlWriter, blocks: readonly MdBlock[], place: Place, gap = "\n\n"): void {
  for (const [index, block] of blocks.entries()) {
    if (index > 0) writer.text(gap);
    if (index > 0 && !standsAtMargin(block, place)) writer.text(place.indent);
    writeBlock(writer, block, place);
  }
}

/** Blocks that bring their own indentation, or must not get one. */
function standsAtMargin(block: MdBlock, place: Place): boolean {
  return (
    block.type === "list" ||
    block.type === "codeBlock" ||
    block.type === "table" ||
    (block.type === "quote" && !place.nested)
  );
}

function writeBlock(writer: HtmlWriter, block: MdBlock, place: Place): void {
  switch (block.type) {
    case "paragraph":
      writeInlines(writer, block.children, { marks: 0, href: null }, place.indent);
      break;
    case "heading":
      writeInlines(writer, block.children, { marks: BOLD, href: null }, place.indent);
      break;
    case "codeBlock":
      writer.pre(block.text, block.lang);
      break;
    case "table":
      writer.pre(tableAsText(block), null);
      break;
    case "quote":
      if (place.nested) writeBlocks(writer, block.children, place);
      else writer.quote(() => writeBlocks(writer, block.children, { indent: "", nested: true }));
      break;
    case "list":
      for (const [index, item] of block.items.entries()) {
        if (index > 0) writer.text(block.loose ? "\n\n" : "\n");
        writeItem(writer, item, block.ordered ? `${block.start + index}.` : "•", place);
      }
      break;
    case "rule":
      writer.text(RULE_TEXT);
      break;
    default:
      assertNever(block);
  }
}

function writeItem(writer: HtmlWriter, item: MdListItem, bullet: string, place: Place): void {
  const box = item.checked === null ? bullet : item.checked ? "☑" : "☐";
  const indent = `${place.indent}${" ".repeat(bullet.length + 1)}`;
  const [first] = item.children;
  writer.text(item.continued ? indent : `${place.indent}${box} `);
  if (first !== undefined && (first.type === "list" || standsAtMargin(first, { indent, nested: true })))
    writer.text("\n");
  writeBlocks(writer, item.children, { indent, nested: true }, "\n");
}

const BOLD = 1;
const ITALIC = 2;
const STRIKE = 4;

function writeInlines(writer: HtmlWriter, inlines: readonly MdInline[], style: Style, indent: string): void {
  for (const inline of inlines) {
    switch (inline.type) {
      case "text":
        writer.styled(indentLines(inline.text, indent), style);
        break;
      case "code":
        writer.code(inline.text, style);
        break;
      case "strong":
        writeInlines(writer, inline.children, { ...style, marks: style.marks | BOLD }, indent);
        break;
      case "em":
        writeInlines(writer, inline.children, { ...style, marks: style.marks | ITALIC }, indent);
        break;
      case "del":
        writeInlines(writer, inline.children, { ...style, marks: style.marks | STRIKE }, indent);
        break;
      case "link":
        writeLink(writer, inline.children, { url: inline.url, style, indent });
        break;
      case "image":
        writeLink(writer, inline.alt === "" ? [] : [{ type: "text", text: inline.alt }], {
          url: inline.url,
          style,
          indent,
        });
        break;
      case "break":
        writer.styled(`\n${indent}`, style);
        break;
      default:
        assertNever(inline);
    }
  }
}

interface LinkPlace {
  readonly url: string;
  readonly style: Style;
  readonly indent: string;
}

function writeLink(writer: HtmlWriter, label: readonly MdInline[], { url, style, indent }: LinkPlace): void {
  const shown: readonly MdInline[] = label.length === 0 ? [{ type: "text", text: url }] : label;
  if (style.href !== null || isAllowed(url)) {
    // A picture that is a link leads where the link leads.
    writeInlines(writer, shown, { ...style, href: style.href ?? url }, indent);
    return;
  }
  writeInlines(writer, shown, style, indent);
  if (label.length > 0 && url !== "") writer.styled(` (${url})`, style);
}

/** `tg://user` would mention somebody who need not be in the conversation. */
function isAllowed(url: string): boolean {
  return /^(?:https?:\/\/[^\s/]|mailto:[^\s]|tg:\/\/(?!user\b)\w)/i.test(url);
}

function indentLines(text: string, indent: string): string {
  return indent === "" ? text : text.replaceAll("\n", `\n${indent}`);
}
