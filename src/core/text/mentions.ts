import { assertNever } from "../runtime.ts";
import type { MdBlock, MdInline } from "./markdown-tree.ts";

/** Breaks a mention for every platform and is invisible to people. */
const ZERO_WIDTH = "\u200b";
const AT_ALL = /@(?=everyone|here|channel|group)/gi;
const BRACKETED = /<(?=!(?:channel|here|everyone|group|subteam\^))/gi;
const ROLE = /<@(?=&\d)/g;

/**
 * Makes mentions of many people inert (`DL-8`, FC-176): `@everyone`, `@here`, `@channel`, `<!channel>`, `<!here>`,
 * `<!everyone>`, `<!subteam^…>`, `<@&role>` get a zero-width space behind their first characters. They are broken
 * also inside longer words, because platforms look for them there. Mentions of single users stay. Idempotent.
 */
export function neutraliseMentions(text: string): string {
  if (!text.includes("@") && !text.includes("<!")) return text;
  return text.replace(AT_ALL, `@${ZERO_WIDTH}`).replace(BRACKETED, `<${ZERO_WIDTH}`).replace(ROLE, `<@${ZERO_WIDTH}`);
}

/**
 * {@link neutraliseMentions} for a parsed tree: after parsing, so that `&#64;everyone` cannot slip through, and outside
 * of code and link addresses, so that both can still be copied. Renderers see to it that code does not ping.
 */
export function neutraliseTree(nodes: readonly MdBlock[]): MdBlock[] {
  return nodes.map(neutraliseBlock);
}

function neutraliseBlock(node: MdBlock): MdBlock {
  switch (node.type) {
    case "paragraph":
    case "heading":
      return { ...node, children: neutraliseInlines(node.children) };
    case "quote":
      return { ...node, children: neutraliseTree(node.children) };
    case "list":
      return { ...node, items: node.items.map((item) => ({ ...item, children: neutraliseTree(item.children) })) };
    case "table":
      return {
        ...node,
        header: node.header.map(neutraliseInlines),
        rows: node.rows.map((row) => row.map(neutraliseInlines)),
      };
    case "codeBlock":
    case "rule":
      return node;
    default:
      return assertNever(node);
  }
}

function neutraliseInlines(children: readonly MdInline[]): MdInline[] {
  return children.map(neutraliseInline);
}

function neutraliseInline(child: MdInline): MdInline {
  switch (child.type) {
    case "text":
      return { type: "text", text: neutraliseMentions(child.text) };
    case "strong":
    case "em":
    case "del":
    case "spoiler":
    case "link":
      return { ...child, children: neutraliseInlines(child.children) };
    case "image":
      return { ...child, alt: neutraliseMentions(child.alt) };
    case "code":
    case "break":
      return child;
    default:
      return assertNever(child);
  }
}
