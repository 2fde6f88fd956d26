import { assertNever } from "../../src/core/runtime.ts";
import type { MdAlign, MdBlock, MdCell, MdInline, MdListItem, MdNode } from "../../src/core/text/markdown-tree.ts";
import { escapeHtml, plainText } from "../../src/core/text/plain-text.ts";

/*
 * The page's dialect: HTML (https://html.spec.whatwg.org/).
 *
 * - Nothing of the source passes as markup: `&`, `<`, `>` and both quotes are escaped in texts and attributes.
 * - Everything a tree holds has its own element: headings, lists, tables, boxes, code with its language as a class. Code and
 *   tables scroll inside a figure, which also holds the page's button that copies code.
 * - Spoilers are blurred until they are pointed at or have the focus.
 * - Links: `http(s)` and `mailto:`, opened apart from the page; pictures are links, so that a page never fetches what a
 *   model names; other addresses are written behind their label. Links do not nest.
 * - No limit of its own; the length is that of the plain form.
 */

export interface WebRendering {
  /** Safe to insert into a page: every text and attribute is escaped, only the tags below occur. */
  readonly html: string;
  readonly plain: string;
  /** UTF-16 units of the plain form; pages have no limit of their own. */
  readonly length: number;
}

/** Renders a Markdown tree as HTML for the chat page (DL-7). */
export function renderWeb(nodes: readonly MdNode[]): WebRendering {
  const plain = plainText(nodes);
  return { html: nodes.map(blockHtml).join("\n"), plain, length: plain.length };
}

function blockHtml(block: MdBlock): string {
  switch (block.type) {
    case "paragraph":
      return `<p>${inlinesHtml(block.children)}</p>`;
    case "heading": {
      const level = Math.min(6, Math.max(1, Math.trunc(block.level)));
      return `<h${level}>${inlinesHtml(block.children)}</h${level}>`;
    }
    case "codeBlock": {
      const language = block.lang === null ? "" : ` class="language-${escapeHtml(block.lang)}"`;
      return `<figure class="code"><pre><code${language}>${escapeHtml(block.text)}</code></pre></figure>`;
    }
    case "quote":
      return `<blockquote>${block.children.map(blockHtml).join("\n")}</blockquote>`;
    case "list": {
      const items = block.items.map(itemHtml).join("");
      if (!block.ordered) return `<ul>${items}</ul>`;
      return block.start === 1 ? `<ol>${items}</ol>` : `<ol start="${Math.trunc(block.start)}">${items}</ol>`;
    }
    case "table": {
      const header = `<thead>${rowHtml(block.header, block.align, "th")}</thead>`;
      const rows = block.rows.map((row) => rowHtml(row, block.align, "td")).join("");
      return `<figure class="wide"><table>${header}${rows === "" ? "" : `<tbody>${rows}</tbody>`}</table></figure>`;
    }
    case "rule":
      return "<hr>";
    default:
      return assertNever(block);
  }
}

function itemHtml(item: MdListItem): string {
  const [first, ...others] = item.children;
  const lead = first?.type === "paragraph" ? inlinesHtml(first.children) : first === undefined ? "" : blockHtml(first);
  const rest = others.map(blockHtml).join("");
  if (item.continued) return `<li class="continued">${lead}${rest}</li>`;
  if (item.checked === null) return `<li>${lead}${rest}</li>`;
  if (first?.type === "paragraph") return `<li>${boxHtml(item.checked, lead)}${rest}</li>`;
  return `<li>${item.checked ? "☑" : "☐"} ${lead}${rest}</li>`;
}

/** The words behind a box are its name. */
function boxHtml(checked: boolean, label: string): string {
  return `<label><input type="checkbox" disabled${checked ? " checked" : ""}> ${label}</label>`;
}

function rowHtml(cells: readonly MdCell[], align: readonly MdAlign[], tag: "th" | "td"): string {
  const row = cells.map((cell, column) => {
    const side = align[column] ?? null;
    return `<${tag}${side === null ? "" : ` class="align-${side}"`}>${inlinesHtml(cell)}</${tag}>`;
  });
  return `<tr>${row.join("")}</tr>`;
}

function inlinesHtml(inlines: readonly MdInline[], insideLink = false): string {
  return inlines.map((inline) => inlineHtml(inline, insideLink)).join("");
}

function inlineHtml(inline: MdInline, insideLink: boolean): string {
  switch (inline.type) {
    case "text":
      return escapeHtml(inline.text).replaceAll("\n", "<br>");
    case "strong":
    case "em":
    case "del":
      return `<${inline.type}>${inlinesHtml(inline.children, insideLink)}</${inline.type}>`;
    case "spoiler":
      return `<span class="spoiler" tabindex="0">${inlinesHtml(inline.children, insideLink)}</span>`;
    case "code":
      return `<code>${escapeHtml(inline.text)}</code>`;
    case "link":
      return linkHtml(inline.url, inlinesHtml(inline.children, true), insideLink);
    case "image":
      return linkHtml(inline.url, escapeHtml(inline.alt), insideLink);
    case "mention":
      return escapeHtml(`@${inline.name}`);
    case "break":
      return "<br>";
    default:
      return assertNever(inline);
  }
}

/** `label` is HTML already. A link inside a link is not valid HTML; the inner one keeps its label. */
function linkHtml(url: string, label: string, insideLink: boolean): string {
  const shown = label === "" ? escapeHtml(url) : label;
  if (insideLink || url === "") return shown;
  if (!/^(?:https?:\/\/|mailto:)[^\s]/i.test(url)) return label === "" ? shown : `${shown} (${escapeHtml(url)})`;
  return `<a href="${escapeHtml(url)}" rel="noopener noreferrer nofollow" target="_blank">${shown}</a>`;
}
