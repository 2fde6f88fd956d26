import { assertNever } from "../runtime.ts";
import type { MdAlign, MdBlock, MdInline, MdListItem } from "./markdown-tree.ts";

/** How plain text shows a thematic break. */
export const RULE_TEXT = "———";

/**
 * The plain form of a tree: what goes out when a platform refuses the formatting (`DL-7`, FC-064) and what a search
 * reads. Links are `label (url)`, or only the address when the label says the same; images likewise; quotes have `> `,
 * lists their bullets, numbers and `[x]`, tables are aligned text. Blocks stand apart by one blank line.
 */
export function plainText(nodes: readonly MdBlock[]): string {
  return nodes.map(plainBlock).join("\n\n");
}

/** {@link plainText} of inline content. */
export function plainInlines(inlines: readonly MdInline[]): string {
  let text = "";
  for (const inline of inlines) text += plainInline(inline);
  return text;
}

/** True when a tree shows nothing a person could read: only marks, rules, invisible characters. It must not be sent (`DL-10`). */
export function isBlank(nodes: readonly MdBlock[]): boolean {
  return nodes.every(
    (node) =>
      node.type === "rule" || textsOf(node).every((text) => /^[\s\u00ad\u200b-\u200f\u2060\ufeff*_~`]*$/.test(text)),
  );
}

/** True when a tree holds nothing but white space; a rule is something. */
export function isEmpty(nodes: readonly MdBlock[]): boolean {
  return nodes.every((node) => node.type !== "rule" && textsOf(node).every((text) => text.trim() === ""));
}

/** The texts of a block without bullets and quote marks. */
function textsOf(node: MdBlock): string[] {
  switch (node.type) {
    case "rule":
      return [];
    case "quote":
      return node.children.flatMap(textsOf);
    case "list":
      return node.items.flatMap((item) => item.children.flatMap(textsOf));
    case "table":
      return [node.header, ...node.rows].flatMap((row) => row.map(plainInlines));
    case "codeBlock":
      return [node.text];
    case "paragraph":
    case "heading":
      return [plainInlines(node.children)];
    default:
      return assertNever(node);
  }
}

function plainBlock(node: MdBlock): string {
  switch (node.type) {
    case "paragraph":
    case "heading":
      return plainInlines(node.children);
    case "codeBlock":
      return node.text;
    case "quote":
      return prefixLines(plainText(node.children), "> ", "> ");
    case "list": {
      const blank = node.loose ? "\n\n" : "\n";
      return node.items
        .map((item, index) => plainItem(item, node.ordered ? `${node.start + index}.` : "-"))
        .join(blank);
    }
    case "table":
      return tableAsText(node);
    case "rule":
      return RULE_TEXT;
    default:
      return assertNever(node);
  }
}

function plainItem(item: MdListItem, bullet: string): string {
  const box = item.checked === null ? "" : item.checked ? "[x] " : "[ ] ";
  const indent = " ".repeat(bullet.length + 1);
  return prefixLines(item.children.map(plainBlock).join("\n"), item.continued ? indent : `${bullet} ${box}`, indent);
}

function prefixLines(text: string, first: string, others: string): string {
  return first + text.replaceAll("\n", `\n${others}`);
}

function plainInline(inline: MdInline): string {
  switch (inline.type) {
    case "text":
    case "code":
      return inline.text;
    case "strong":
    case "em":
    case "del":
    case "spoiler":
      return plainInlines(inline.children);
    case "link":
      return labelled(plainInlines(inline.children), inline.url);
    case "image":
      return labelled(inline.alt, inline.url);
    case "mention":
      return `@${inline.name}`;
    case "break":
      return "\n";
    default:
      return assertNever(inline);
  }
}

/** `label (url)` without saying the same thing twice. */
export function labelled(label: string, url: string): string {
  if (url === "" || url === label || url === `mailto:${label}` || url === `http://${label}`) return label;
  return label.trim() === "" ? url : `${label} (${url})`;
}

type MdTable = Extract<MdBlock, { type: "table" }>;

/** Wider cells are not padded to; one long cell would blow up every row of its column. */
const MAX_COLUMN = 40;

/**
 * A table as aligned text for a fixed-width font, for platforms without tables (`DL-7`): cells separated by ` | `, a
 * line of dashes under the header, no trailing space. Cells are one line; columns are at most 40 wide, longer cells
 * stand out. Width counts wide characters (CJK, emoji) as two.
 */
export function tableAsText(table: MdTable): string {
  const rows = [table.header, ...table.rows].map((row) =>
    row.map((cell) => plainInlines(cell).replace(/\s+/g, " ").trim()),
  );
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.min(
      MAX_COLUMN,
      rows.reduce((most, row) => Math.max(most, displayWidth(row[column] ?? "")), 3),
    ),
  );
  const lines = rows.map((row) =>
    widths
      .map((width, column) => pad(row[column] ?? "", width, table.align[column] ?? null))
      .join(" | ")
      .trimEnd(),
  );
  const [header = "", ...body] = lines;
  return [header, widths.map((width) => "-".repeat(width)).join("-|-"), ...body].join("\n");
}

function pad(text: string, width: number, align: MdAlign): string {
  const missing = width - displayWidth(text);
  if (missing <= 0) return text;
  switch (align) {
    case "right":
      return " ".repeat(missing) + text;
    case "center":
      return " ".repeat(Math.floor(missing / 2)) + text + " ".repeat(Math.ceil(missing / 2));
    case "left":
    case null:
      return text + " ".repeat(missing);
  }
}

/** Columns a text takes in a fixed-width font; combining marks take none. */
function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const char of text) {
    if (/\p{M}|\u200d|\ufe0f/u.test(char)) continue;
    width += isWide(char.codePointAt(0) ?? 0) ? 2 : 1;
  }
  return width;
}

function isWide(point: number): boolean {
  return (
    (point >= 0x1100 && point <= 0x115f) ||
    (point >= 0x2e80 && point <= 0xa4cf) ||
    (point >= 0xac00 && point <= 0xd7a3) ||
    (point >= 0xf900 && point <= 0xfaff) ||
    (point >= 0xfe30 && point <= 0xfe6f) ||
    (point >= 0xff00 && point <= 0xff60) ||
    (point >= 0xffe0 && point <= 0xffe6) ||
    (point >= 0x1f300 && point <= 0x1faff) ||
    (point >= 0x20000 && point <= 0x3fffd)
  );
}

/** Not the opening bracket: with a backslash before it, it would begin a formula (FC-219). */
const MARKS = /[\\`*_~|<>\]#&]/g;

/** A person's text inside an answer that is read as Markdown: it is shown exactly as they typed it (FC-211). */
export function asTyped(text: string): string {
  return text.replace(MARKS, "\\$&");
}

/** A text as HTML shows it, in content and in attributes. */
export function escapeHtml(text: string): string {
  if (!/[&<>"']/.test(text)) return text;
  return text
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;")
    .replace(/'/g, "&#39;");
}
