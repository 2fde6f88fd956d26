import { assertNever } from "../core/runtime.ts";
import type { MdBlock, MdInline, MdListItem } from "../core/text/markdown-tree.ts";

/**
 * Writes a tree as Markdown again, for the part of an answer that goes as a `.md` file (DL-6): a file is for reading and
 * keeping, so the structure stays and nothing is escaped.
 */
export function markdownSource(nodes: readonly MdBlock[]): string {
  return nodes.map(block).join("\n\n");
}

function block(node: MdBlock): string {
  switch (node.type) {
    case "paragraph":
      return inlines(node.children);
    case "heading":
      return `${"#".repeat(node.level)} ${inlines(node.children)}`;
    case "codeBlock":
      return fenced(node.text, node.lang);
    case "quote":
      return prefixed(markdownSource(node.children), "> ", "> ");
    case "list":
      return node.items
        .map((item, index) => listItem(item, node.ordered ? `${node.start + index}.` : "-"))
        .join(node.loose ? "\n\n" : "\n");
    case "table":
      return [
        row(node.header),
        `|${node.align.map((align) => ` ${align === "center" ? ":-:" : align === "right" ? "--:" : "---"} |`).join("")}`,
        ...node.rows.map(row),
      ].join("\n");
    case "rule":
      return "---";
    default:
      return assertNever(node);
  }
}

/** The fence is longer than any run of backticks inside, so that the text cannot end it. */
function fenced(text: string, lang: string | null): string {
  let longest = 2;
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${lang ?? ""}\n${text}\n${fence}`;
}

function listItem(item: MdListItem, bullet: string): string {
  const box = item.checked === null ? "" : item.checked ? "[x] " : "[ ] ";
  const indent = " ".repeat(bullet.length + 1);
  return prefixed(item.children.map(block).join("\n"), item.continued ? indent : `${bullet} ${box}`, indent);
}

function row(cells: readonly (readonly MdInline[])[]): string {
  return `|${cells.map((cell) => ` ${inlines(cell).replaceAll("|", "\\|")} |`).join("")}`;
}

function prefixed(text: string, first: string, others: string): string {
  return first + text.replaceAll("\n", `\n${others}`);
}

function inlines(nodes: readonly MdInline[]): string {
  return nodes.map(inline).join("");
}

function inline(node: MdInline): string {
  switch (node.type) {
    case "text":
      return node.text;
    case "strong":
      return `**${inlines(node.children)}**`;
    case "em":
      return `*${inlines(node.children)}*`;
    case "del":
      return `~~${inlines(node.children)}~~`;
    case "spoiler":
      return `||${inlines(node.children)}||`;
    case "code":
      return `\`${node.text}\``;
    case "link":
      return `[${inlines(node.children)}](${node.url})`;
    case "image":
      return `![${node.alt}](${node.url})`;
    case "mention":
      return `@${node.name}`;
    case "break":
      return "\\\n";
    default:
      return assertNever(node);
  }
}
