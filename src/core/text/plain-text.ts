import { assertNever } from "../runtime.ts";
import type { MdBlock, MdInline, MdListItem } from "./markdown-tree.ts";
import { tableAsText } from "./table-text.ts";

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
      return plainInlines(inline.children);
    case "link":
      return labelled(plainInlines(inline.children), inline.url);
    case "image":
      return labelled(inline.alt, inline.url);
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
