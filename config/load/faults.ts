import { z } from "zod";
import {
  badName,
  boundText,
  EMPTY_TEXT,
  type FaultText,
  missing,
  notOneOf,
  numberBound,
  otherFault,
  textLength,
  typeText,
  unknownKey,
  VALUE_HIDDEN,
  VALUE_LIST,
  VALUE_MISSING,
  VALUE_SECTION,
  wrongType,
} from "../../src/core/texts/config/shape.ts";
import { type ConfigPath, type Findings, pathText } from "./findings.ts";

type Issue = z.core.$ZodIssue;

/**
 * Checks a tree against the schema, reports every fault, and returns the tree without the faulty parts, so that the
 * checks after this one still find the rest (OP-2: all faults at once).
 */
export function checkAgainstSchema(schema: z.ZodType, tree: Tree, findings: Findings): Tree {
  const rest = structuredClone(tree);
  const first = schema.safeParse(rest);
  if (first.success) return rest;
  for (const issue of first.error.issues) reportIssue(issue, schema, tree, findings);
  let issues: readonly Issue[] = first.error.issues;
  // Each round removes at least one part, so this ends; what only fails once its faulty part is gone is not a fault of its own.
  while (issues.length > 0) {
    if (!prune(rest, issues)) return {};
    const next = schema.safeParse(rest);
    issues = next.success ? [] : next.error.issues;
  }
  return rest;
}

function prune(rest: Tree, issues: readonly Issue[]): boolean {
  const paths = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issuePath(issue), key]) : [issuePath(issue)],
  );
  // From the back, so that the indices of a list stay right.
  const ordered = paths.sort((a, b) => compare(b, a));
  return ordered.map((path) => removeAt(rest, path) || removeAt(rest, path.slice(0, -1))).some((removed) => removed);
}

function compare(a: ConfigPath, b: ConfigPath): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [x, y] = [a[i], b[i]];
    if (x === y) continue;
    return typeof x === "number" && typeof y === "number" ? x - y : String(x) < String(y) ? -1 : 1;
  }
  return a.length - b.length;
}

/** Reports one finding of zod in a user's words. */
export function reportIssue(
  issue: Issue,
  schema: z.ZodType,
  tree: unknown,
  findings: Findings,
  base: ConfigPath = [],
): void {
  const local = issuePath(issue);
  const path = [...base, ...local];
  const value = valueAt(tree, local);
  switch (issue.code) {
    case "unrecognized_keys":
      for (const key of issue.keys) findings.fault([...path, key], unknownKey(key, keysAt(schema, local)));
      return;
    case "invalid_type": {
      const wanted = typeText(issue.expected);
      findings.fault(path, value === undefined ? missing(wanted) : wrongType(wanted, valueText(value, path)));
      return;
    }
    case "invalid_value": {
      const written = typeof value === "string" ? value : "";
      findings.fault(path, notOneOf(written, issue.values.map(String), valueText(value, path)));
      return;
    }
    case "too_small":
    case "too_big":
      findings.fault(path, sizeText(issue, valueText(value, path)));
      return;
    case "invalid_key":
      findings.fault(path, badName(String(path.at(-1)), issue.issues[0]?.message));
      return;
    default:
      findings.fault(path, otherFault(issue.message, value === undefined ? null : valueText(value, path)));
  }
}

function sizeText(issue: Issue & { code: "too_small" | "too_big" }, shown: string): FaultText {
  const [limit, side] =
    issue.code === "too_small" ? ([issue.minimum, "least"] as const) : ([issue.maximum, "most"] as const);
  const bound = boundText(side, issue.inclusive !== false);
  if (issue.origin !== "string") return numberBound(bound, limit, shown);
  return limit === 1 ? EMPTY_TEXT : textLength(bound, limit);
}

function issuePath(issue: Issue): (string | number)[] {
  return issue.path.map((part) => (typeof part === "number" ? part : String(part)));
}

/** A value as a fault shows it; what may be a secret is never shown. */
function valueText(value: unknown, path: ConfigPath): string {
  if (value === undefined) return VALUE_MISSING;
  if (Array.isArray(value)) return VALUE_LIST;
  if (isTree(value)) return VALUE_SECTION;
  if (typeof value !== "string") return String(value);
  if (/token|secret|key|password/i.test(pathText(path))) return VALUE_HIDDEN;
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}

/** The keys that the schema knows at `path`; empty where any name is allowed or there are none. */
export function keysAt(schema: z.ZodType, path: ConfigPath): readonly string[] {
  const found = schemaAt(schema, path);
  return found instanceof z.ZodObject ? Object.keys(found.shape) : [];
}

function schemaAt(schema: z.ZodType, path: ConfigPath): z.ZodType | null {
  let current: unknown = bare(schema);
  for (const part of path) {
    if (current instanceof z.ZodObject) current = bare(current.shape[part]);
    else if (current instanceof z.ZodRecord) current = bare(current.valueType);
    else if (current instanceof z.ZodArray) current = bare(current.element);
    else return null;
  }
  return current instanceof z.ZodType ? current : null;
}

function bare(schema: unknown): unknown {
  let current = schema;
  while (current instanceof z.ZodOptional || current instanceof z.ZodNullable || current instanceof z.ZodDefault) {
    current = current.unwrap();
  }
  return current;
}

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
