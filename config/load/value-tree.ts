import type { ConfigPath } from "./findings.ts";

/** A parsed file before it is checked. */
export type Tree = { [key: string]: unknown };

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function valueAt(root: unknown, path: ConfigPath): unknown {
  let current: unknown = root;
  for (const part of path) {
    if (Array.isArray(current) && typeof part === "number") current = current[part];
    else if (isTree(current) && Object.hasOwn(current, part)) current = current[String(part)];
    else return undefined;
  }
  return current;
}

/** Removes what lies at `path`; true when there was something. An element of a list goes by its index. */
export function removeAt(root: unknown, path: ConfigPath): boolean {
  const last = path.at(-1);
  const parent = valueAt(root, path.slice(0, -1));
  if (last === undefined) return false;
  if (Array.isArray(parent) && typeof last === "number" && last < parent.length) {
    parent.splice(last, 1);
    return true;
  }
  if (!isTree(parent) || !Object.hasOwn(parent, last)) return false;
  delete parent[String(last)];
  return true;
}

/** The same tree with every text replaced; keys stay as they are. */
export function mapTexts(
  value: unknown,
  change: (text: string, path: ConfigPath) => string,
  path: ConfigPath = [],
): unknown {
  if (typeof value === "string") return change(value, path);
  if (Array.isArray(value)) return value.map((item, index) => mapTexts(item, change, [...path, index]));
  if (!isTree(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change, [...path, key])]));
}

/** Every path of the tree that fits `pattern`; `*` stands for any one key. */
export function pathsLike(root: unknown, pattern: readonly string[]): string[][] {
  const [head, ...rest] = pattern;
  if (head === undefined) return [[]];
  if (!isTree(root)) return [];
  const keys = head === "*" ? Object.keys(root) : Object.hasOwn(root, head) ? [head] : [];
  return keys.flatMap((key) => pathsLike(root[key], rest).map((path) => [key, ...path]));
}
