import { z } from "zod";
import { type ConfigPath, type Findings, pathText } from "./findings.ts";
import { didYouMean } from "./nearest.ts";
import { isTree, removeAt, type Tree, valueAt } from "./value-tree.ts";

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

/** Reports one finding of zod in the configuration's own words. */
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
      for (const key of issue.keys)
        findings.fault([...path, key], "unknown key", didYouMean(key, keysAt(schema, local)));
      return;
    case "invalid_type": {
      const wanted = expectedText(issue.expected);
      if (value === undefined) findings.fault(path, "is missing", `Add ${wanted}.`);
      else findings.fault(path, `must be ${wanted}, but is ${shown(value, path)}`, `Write ${wanted}.`);
      return;
    }
    case "invalid_value": {
      const choices = issue.values.map((choice) => JSON.stringify(choice));
      const written = typeof value === "string" ? value : "";
      findings.fault(
        path,
        `must be ${choices.join(" or ")}, but is ${shown(value, path)}`,
        choices.length === 1 ? `Write ${choices[0]}.` : didYouMean(written, issue.values.map(String)),
      );
      return;
    }
    case "too_small":
    case "too_big":
      reportSize(issue, path, value, findings);
      return;
    case "invalid_key":
      findings.fault(
        path,
        `the name ${JSON.stringify(path.at(-1))} ${issue.issues[0]?.message ?? "is not allowed"}`,
        "Choose another name.",
      );
      return;
    default:
      findings.fault(path, issue.message, value === undefined ? "Add it." : `It is ${shown(value, path)}.`);
  }
}

function reportSize(
  issue: Issue & { code: "too_small" | "too_big" },
  path: ConfigPath,
  value: unknown,
  findings: Findings,
): void {
  const limit = issue.code === "too_small" ? issue.minimum : issue.maximum;
  const side = issue.code === "too_small" ? "at least" : "at most";
  const strict = issue.inclusive === false ? (issue.code === "too_small" ? "more than" : "less than") : side;
  if (issue.origin === "string") {
    const problem = limit === 1 ? "must not be empty" : `must have ${side} ${limit} characters`;
    findings.fault(path, problem, "Write a longer text, or remove the key.");
    return;
  }
  findings.fault(
    path,
    `must be ${strict} ${limit}, but is ${shown(value, path)}`,
    `Write a number that is ${strict} ${limit}.`,
  );
}

function issuePath(issue: Issue): (string | number)[] {
  return issue.path.map((part) => (typeof part === "number" ? part : String(part)));
}

function expectedText(expected: string): string {
  switch (expected) {
    case "string":
      return "a text in quotes";
    case "number":
      return "a number";
    case "int":
      return "a whole number";
    case "boolean":
      return "true or false";
    case "array":
      return "a list in [ ]";
    case "object":
    case "record":
      return "a section in { }";
    default:
      return expected;
  }
}

/** A value as a fault shows it; what may be a secret is only described. */
function shown(value: unknown, path: ConfigPath): string {
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "a list";
  if (isTree(value)) return "a section";
  if (typeof value !== "string") return String(value);
  if (/token|secret|key|password/i.test(pathText(path))) return "a text that is not shown";
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
