import { assertNever } from "../../src/core/runtime.ts";
import type { MdBlock, MdInline, MdListItem, MdNode } from "../../src/core/text/markdown-tree.ts";
import { plainInlines, plainText, RULE_TEXT, tableAsText } from "../../src/core/text/plain-text.ts";
import { BOLD, ITALIC, MrkdwnWriter, STRIKE } from "./mrkdwn-writer.ts";

export interface SlackRendering {
  /** For `text` of chat.postMessage and chat.update: nothing in it mentions or pings anybody (DL-8). */
  readonly mrkdwn: string;
  /** The plain form of the same piece (DL-7). */
  readonly plain: string;
  /** UTF-16 units of the text as it is sent, escapes and marks included: that is what Slack limits (DL-6). */
  readonly length: number;
}

/**
 * Renders a Markdown tree as Slack mrkdwn. Headings are bold; lists get bullets, numbers or boxes and indentation; tables
 * are aligned code; images are links; code stands outside of quotes, which Slack does not show in them. Links are `http(s)`
 * and `mailto:`; other addresses are written behind their label. mrkdwn has no escape for its own marks: a literal `*x*`
 * that the author escaped may still show bold.
 */
export function renderSlack(nodes: readonly MdNode[]): SlackRendering {
  const writer = new MrkdwnWriter();
  writeBlocks(writer, nodes, { indent: "", nested: false });
  const mrkdwn = writer.finish();
  return { mrkdwn, plain: plainText(nodes), length: mrkdwn.length };
}

interface Place {
  /** Written after every line end of text in lists. */
  readonly indent: string;
  /** Inside a list, where a quote keeps only its text. */
  readonly nested: boolean;
}

function writeBlocks(writer: MrkdwnWriter, blocks: readonly MdBlock[], place: Place, gap = "\n\n"): void {
  for (const [index, block] of blocks.entries()) {
    if (index > 0) writer.raw(gap);
    if (index > 0 && !standsAtMargin(block, place)) writer.raw(place.indent);
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

function writeBlock(writer: MrkdwnWriter, block: MdBlock, place: Place): void {
  switch (block.type) {
    case "paragraph":
      writeInlines(writer, block.children, 0, place.indent);
      break;
    case "heading":
      writeInlines(writer, block.children, BOLD, place.indent);
      break;
    case "codeBlock":
      if (block.text !== "") writer.fence(block.text);
      break;
    case "table":
      writer.fence(tableAsText(block));
      break;
    case "quote":
      if (place.nested) writeBlocks(writer, block.children, place);
      else writer.raw(quoted(block.children));
      break;
    case "list":
      for (const [index, item] of block.items.entries()) {
        if (index > 0) writer.raw(block.loose ? "\n\n" : "\n");
        writeItem(writer, item, block.ordered ? `${block.start + index}.` : "•", place);
      }
      break;
    case "rule":
      writer.raw(RULE_TEXT);
      break;
    default:
      assertNever(block);
  }
}

/** `> ` before every line, except those of code, whose fences Slack only knows at the start of a line. */
function quoted(blocks: readonly MdBlock[]): string {
  const inner = new MrkdwnWriter();
  writeBlocks(inner, blocks, { indent: "", nested: true });
  let inCode = false;
  const lines = inner
    .finish()
    .split("\n")
    .map((line) => {
      const isFence = line.startsWith("```");
      const bare = isFence || inCode;
      if (isFence) inCode = !inCode;
      return bare ? line : `> ${line}`;
    });
  return lines.join("\n");
}

function writeItem(writer: MrkdwnWriter, item: MdListItem, bullet: string, place: Place): void {
  const box = item.checked === null ? bullet : item.checked ? "☑" : "☐";
  const indent = `${place.indent}${" ".repeat(bullet.length + 1)}`;
  const [first] = item.children;
  writer.raw(item.continued ? indent : `${place.indent}${box} `);
  if (first !== undefined && (first.type === "list" || standsAtMargin(first, { indent, nested: true })))
    writer.raw("\n");
  writeBlocks(writer, item.children, { indent, nested: true }, "\n");
}

function writeInlines(writer: MrkdwnWriter, inlines: readonly MdInline[], marks: number, indent: string): void {
  for (const inline of inlines) {
    switch (inline.type) {
      case "text":
        writer.text(indentLines(inline.text, indent), marks);
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
        writeInlines(writer, inline.children, marks | STRIKE, indent);
        break;
      case "link":
        writeLink(writer, { url: inline.url, label: labelOf(inline.children), marks });
        break;
      case "image":
        writeLink(writer, { url: inline.url, label: inline.alt, marks });
        break;
      case "break":
        writer.text(`\n${indent}`, marks);
        break;
      default:
        assertNever(inline);
    }
  }
}

/** Slack shows no marks inside a link; a picture that is a link leads where the link leads. */
function labelOf(children: readonly MdInline[]): string {
  const pictures = children.map(
    (child): MdInline => (child.type === "image" ? { type: "text", text: child.alt } : child),
  );
  return plainInlines(pictures);
}

function writeLink(
  writer: MrkdwnWriter,
  { url, label, marks }: { readonly url: string; readonly label: string; readonly marks: number },
): void {
  if (/^(?:https?:\/\/[^\s/]|mailto:[^\s])/i.test(url)) writer.link(url, label.trim() === "" ? url : label, marks);
  else if (label === "" || url === "") writer.text(label === "" ? url : label, marks);
  else writer.text(`${label} (${url})`, marks);
}

function indentLines(text: string, indent: string): string {
  return indent === "" ? text : text.replaceAll("\n", `\n${indent}`);
}
