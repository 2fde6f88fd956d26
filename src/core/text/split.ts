import { assertNever } from "../runtime.ts";
import { codePointFloor, largestFitting } from "./cut.ts";
import { cutBlocks, type Room } from "./cut-block.ts";
import { parseMarkdown } from "./markdown.ts";
import type { MdBlock, MdInline, MdNode } from "./markdown-tree.ts";
import { isEmpty, plainText } from "./plain-text.ts";

/** See {@link SplitOptions.measure}. */
const UNITS_PER_MEASURE = 4;

export interface SplitOptions {
  /** Most that one piece may measure, 200 or more, in the unit of `measure`. */
  readonly limit: number;
  /**
   * Size of a piece as it will be sent, after decoration. It must not shrink when content is added, and must count at
   * least one for every four UTF-16 units of content.
   */
  readonly measure: (nodes: readonly MdNode[]) => number;
  /** Cut off at most so many pieces; all that follows comes as one more, however long. Default: no bound. */
  readonly most?: number;
}

/**
 * Splits a message once into pieces of at most `limit` (`DL-6`, `DL-7`, FC-065): each piece is a tree of its own, to be
 * rendered rich and plain. Cuts fall between blocks, then at line, sentence and word ends; never inside a link, a
 * grapheme or a surrogate pair. A cut code block keeps its language on both sides, a cut list its numbers (the rest of
 * an item has no bullet), and a table that does not fit becomes an aligned code block. A link that is longer than a
 * piece becomes text.
 *
 * The pieces' plain texts together are the plain text of the tree, except that at cuts white space may be missing and
 * quote marks (`>`) may be repeated: with all white space and `>` taken out, both are equal. A text that fits is one
 * piece: the very nodes given. An empty text has none, and a piece of white space is left out.
 */
export function splitMarkdown(source: string | readonly MdNode[], options: SplitOptions): (readonly MdNode[])[] {
  const nodes = typeof source === "string" ? parseMarkdown(source) : source;
  if (nodes.length === 0) return [];
  if (options.measure(nodes) <= options.limit) return [nodes];
  const room = roomOf(options);
  const pieces: (readonly MdNode[])[] = [];
  let rest: readonly MdNode[] = nodes;
  while (rest.length > 0) {
    if (pieces.length === options.most) return isEmpty(rest) ? pieces : [...pieces, rest];
    const cut = cutBlocks(rest, room, true) ?? forceCut(rest, options);
    if (!isEmpty(cut.head)) pieces.push(cut.head);
    rest = cut.tail;
  }
  return pieces;
}

/** What is far longer than the limit is not measured, or all that remains of a huge text would be rendered for every piece. */
function roomOf({ limit, measure }: SplitOptions): Room<MdNode> {
  const size = (nodes: readonly MdNode[]): number =>
    isLongerThan(nodes, limit * UNITS_PER_MEASURE) ? Number.POSITIVE_INFINITY : measure(nodes);
  return { limit, here: size, fresh: size };
}

/** Nothing of the first block fits in its own shape (nesting alone fills the piece): it goes on as plain text. */
function forceCut(
  nodes: readonly MdNode[],
  { limit, measure }: SplitOptions,
): { head: readonly MdNode[]; tail: readonly MdNode[] } {
  const [first, ...others] = nodes;
  if (first === undefined) return { head: [], tail: [] };
  const text = plainText([first]);
  const paragraph = (part: string): MdNode[] =>
    part === "" ? [] : [{ type: "paragraph", children: [{ type: "text", text: part }] }];
  const most = largestFitting(text.length, (end) => measure(paragraph(text.slice(0, end))) <= limit, 64);
  const at = Math.max(codePointFloor(text, most), Math.min(text.length, 1));
  // Even when a single character does not fit it goes out, so that splitting always ends.
  const end = codePointFloor(text, at) === at ? at : at + 1;
  return { head: paragraph(text.slice(0, end)), tail: [...paragraph(text.slice(end)), ...others] };
}

/**
 * True when the tree holds more than `units` of content (UTF-16 units of text, one for every block, item and atom).
 * Looks no further than that, so asking it of a huge tree is cheap where measuring would render all of it.
 */
export function isLongerThan(nodes: readonly MdBlock[], units: number): boolean {
  return blocksLeft(nodes, units) < 0;
}

function blocksLeft(nodes: readonly MdBlock[], units: number): number {
  let left = units;
  for (const node of nodes) {
    left = blockLeft(node, left - 1);
    if (left < 0) break;
  }
  return left;
}

function blockLeft(node: MdBlock, units: number): number {
  let left = units;
  switch (node.type) {
    case "paragraph":
    case "heading":
      return inlinesLeft(node.children, left);
    case "codeBlock":
      return left - node.text.length;
    case "quote":
      return blocksLeft(node.children, left);
    case "list":
      for (const item of node.items) {
        left = blocksLeft(item.children, left - 1);
        if (left < 0) break;
      }
      return left;
    case "table":
      for (const cell of [node.header, ...node.rows].flat()) {
        left = inlinesLeft(cell, left - 1);
        if (left < 0) break;
      }
      return left;
    case "rule":
      return left;
    default:
      return assertNever(node);
  }
}

function inlinesLeft(inlines: readonly MdInline[], units: number): number {
  let left = units;
  for (const inline of inlines) {
    if (left < 0) break;
    switch (inline.type) {
      case "text":
      case "code":
        left -= inline.text.length;
        break;
      case "strong":
      case "em":
      case "del":
      case "spoiler":
      case "link":
        left = inlinesLeft(inline.children, left);
        break;
      case "image":
      case "mention":
      case "break":
        left -= 1;
        break;
      default:
        assertNever(inline);
    }
  }
  return left;
}
