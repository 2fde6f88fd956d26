import JSON5 from "json5";
import type { ConfigPath } from "./findings.ts";

/** A value in the text of a JSON5 file: where it stands, and what it holds. */
export interface TextNode {
  readonly start: number;
  /** After its last character. */
  readonly end: number;
  readonly kind: "object" | "array" | "other";
  /** Of an object or a list, in order. */
  readonly members: readonly TextMember[];
}

export interface TextMember {
  readonly key: string | number;
  /** Where the key begins, of a list the value. */
  readonly start: number;
  readonly value: TextNode;
  /** Where the comma behind it stands; null: there is none. */
  readonly comma: number | null;
}

/** Where the values of a JSON5 text stand. The text must have been parsed before: what is no JSON5 is not noticed here. */
export function scanJson5(text: string): TextNode {
  return scanValue(text, skipBlank(text, 0));
}

function scanValue(text: string, start: number): TextNode {
  const opening = text[start];
  if (opening === "{" || opening === "[") return scanMembers(text, start, opening === "{" ? "object" : "array");
  const end = opening === '"' || opening === "'" ? stringEnd(text, start) : wordEnd(text, start);
  return { start, end, kind: "other", members: [] };
}

function scanMembers(text: string, start: number, kind: "object" | "array"): TextNode {
  const closing = kind === "object" ? "}" : "]";
  const members: TextMember[] = [];
  let at = skipBlank(text, start + 1);
  while (at < text.length && text[at] !== closing) {
    const begins = at;
    let key: string | number = members.length;
    if (kind === "object") {
      const quoted = text[at] === '"' || text[at] === "'";
      const end = quoted ? stringEnd(text, at) : wordEnd(text, at);
      const written = text.slice(at, end);
      key = quoted ? String(JSON5.parse(written)) : plainKey(written);
      at = skipBlank(text, skipBlank(text, end) + 1);
    }
    const value = scanValue(text, at);
    at = skipBlank(text, value.end);
    const comma = text[at] === "," ? at : null;
    members.push({ key, start: begins, value, comma });
    if (comma !== null) at = skipBlank(text, comma + 1);
  }
  return { start, end: at + 1, kind, members };
}

function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== text[start]) at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function wordEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && !/[\s:,{}[\]/]/.test(text[at] ?? "")) at += 1;
  return at;
}

/** Past spaces and comments. */
function skipBlank(text: string, from: number): number {
  const blank = /(?:[\s\uFEFF]+|\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/)*/y;
  blank.lastIndex = from;
  blank.exec(text);
  return blank.lastIndex;
}

/** Whether a part of the text outside of strings holds a comment; the part must begin outside of one. */
export function holdsComment(part: string): boolean {
  return /\/\/|\/\*/.test(part.replaceAll(/"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'/g, '""'));
}

/** A name without quotes may be written with escapes. */
function plainKey(written: string): string {
  if (!written.includes("\\")) return written;
  return Object.keys(JSON5.parse<object>(`{${written}:0}`))[0] ?? written;
}

/** A key that one section has twice, and where (FC-331): JSON5 takes the last and drops the others without a word. */
export interface DoubleKey {
  readonly path: ConfigPath;
  readonly places: readonly { readonly line: number; readonly column: number }[];
}

export function doubleKeys(text: string): readonly DoubleKey[] {
  const found: DoubleKey[] = [];
  const visit = (node: TextNode, path: ConfigPath): void => {
    const starts = new Map<string | number, number[]>();
    for (const { key, start, value } of node.members) {
      starts.set(key, [...(starts.get(key) ?? []), start]);
      visit(value, [...path, key]);
    }
    for (const [key, all] of starts) {
      if (all.length > 1) found.push({ path: [...path, key], places: all.map((start) => placeIn(text, start)) });
    }
  };
  visit(scanJson5(text), []);
  return found;
}

function placeIn(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at).split(/\r\n|[\n\r\u2028\u2029]/);
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}
