import JSON5 from "json5";
import { COMMENTS_LOST, NO_SUCH_PATH, NOT_A_LIST, NOT_SET, WHOLE_FILE } from "../../src/core/texts/config/load.ts";
import type { ConfigPath } from "../load/findings.ts";
import { holdsComment, scanJson5, type TextMember, type TextNode } from "../load/json5-text.ts";

/** The new text, or one sentence that says why the file cannot be changed so without losing something of it. */
export type TextEdit = { readonly text: string } | { readonly problem: string };

/** Puts a value at a path of a JSON5 text; comments, order and layout of everything else stay as they are. */
export function setInText(text: string, path: ConfigPath, value: unknown): TextEdit {
  let node = scanJson5(text);
  for (const [depth, part] of path.entries()) {
    const member = memberOf(node, part);
    if (member === undefined) {
      if (node.kind !== "object" || typeof part === "number") return { problem: NO_SUCH_PATH };
      const rest = path.slice(depth + 1);
      return { text: insert(text, node, part, nested(rest, value)) };
    }
    node = member.value;
  }
  if (holdsComment(text.slice(node.start, node.end))) return { problem: COMMENTS_LOST };
  const indent = indentOf(text, node.start);
  return { text: text.slice(0, node.start) + written(value, indent) + text.slice(node.end) };
}

/** Puts a value at the end of the list at a path of a JSON5 text; where nothing is set a list of it is made. */
export function addInText(text: string, path: ConfigPath, value: unknown): TextEdit {
  let node: TextNode | undefined = scanJson5(text);
  for (const part of path) node = node === undefined ? undefined : memberOf(node, part)?.value;
  if (node === undefined) return setInText(text, path, [value]);
  if (node.kind !== "array") return { problem: NOT_A_LIST };
  return { text: insert(text, node, null, value) };
}

/** Takes a key or an element with its value out of a JSON5 text. */
export function unsetInText(text: string, path: ConfigPath): TextEdit {
  let node = scanJson5(text);
  let member: TextMember | undefined;
  for (const part of path) {
    member = memberOf(node, part);
    if (member === undefined) return { problem: NOT_SET };
    node = member.value;
  }
  if (member === undefined) return { problem: WHOLE_FILE };
  if (holdsComment(text.slice(member.start, member.value.end))) return { problem: COMMENTS_LOST };
  const { value, comma } = member;
  // What stands between the value and its comma is kept.
  const between = comma === null ? "" : text.slice(value.end, comma);
  const end = comma === null ? value.end : comma + 1;
  const before = text.slice(0, member.start);
  const after = `${between.trim() === "" ? "" : between}${text.slice(end)}`;
  // A line that held nothing else goes with it.
  const lineStart = /\n[ \t]*$/.exec(before);
  const lineEnd = /^[ \t]*(?=\r?\n)/.exec(after);
  if (lineStart !== null && lineEnd !== null)
    return { text: before.slice(0, lineStart.index) + after.slice(lineEnd[0].length) };
  return { text: before + after.replace(/^[ \t]+/, "") };
}

function memberOf(node: TextNode, part: string | number): TextMember | undefined {
  return node.members.findLast(({ key }) => key === part);
}

function nested(path: ConfigPath, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, part) => ({ [String(part)]: inner }), value);
}

/** `key` null: into a list. */
function insert(text: string, node: TextNode, key: string | null, value: unknown): string {
  const closing = node.end - 1;
  const inside = text.slice(node.start + 1, closing);
  const last = node.members.at(-1);
  const commaMissing = last !== undefined && last.comma === null;
  const kept = inside.trimEnd();
  const isMultiline = inside.includes("\n");
  const indent = last === undefined ? `${indentOf(text, node.start)}  ` : indentOf(text, last.start);
  const entry = `${key === null ? "" : `${keyText(key)}: `}${written(value, isMultiline ? indent : indentOf(text, node.start))}`;
  const head = commaMissing
    ? `${text.slice(0, last.value.end)},${text.slice(last.value.end, node.start + 1 + kept.length)}`
    : text.slice(0, node.start + 1 + kept.length);
  if (!isMultiline && key === null) return `${head}${last === undefined ? "" : " "}${entry}${text.slice(closing)}`;
  if (!isMultiline) return `${head} ${entry} ${text.slice(closing)}`;
  return `${head}\n${indent}${entry},${inside.slice(kept.length)}${text.slice(closing)}`;
}

function indentOf(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function keyText(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}

/** As people write it in the file: short values on one line. */
function written(value: unknown, indent: string): string {
  const short = JSON5.stringify(value, { quote: '"' });
  if (short.length <= 80) return short;
  return JSON5.stringify(value, { quote: '"', space: 2 }).replaceAll("\n", `\n${indent}`);
}
