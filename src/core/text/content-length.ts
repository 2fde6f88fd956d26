import { assertNever } from "../runtime.ts";
import type { MdBlock, MdInline } from "./markdown-tree.ts";

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
      case "link":
        left = inlinesLeft(inline.children, left);
        break;
      case "image":
      case "break":
        left -= 1;
        break;
      default:
        assertNever(inline);
    }
  }
  return left;
}
