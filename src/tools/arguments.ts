import { z } from "zod";
import { type ToolResult, toolError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import { nearestNames } from "../core/nearest.ts";
import { callTexts } from "../core/texts/agent/tool-calls.ts";
import type { ToolDefinition } from "./tool.ts";

const MAX_ROUNDS = 3;

type Arguments = { readonly [name: string]: Json };
type Read = { readonly parsed: unknown; readonly adjusted: readonly string[] };

/** Makes a model's arguments fit a tool, or says in its words why they do not: the one way for every tool (TN-7, FC-233). */
export function readArguments(tool: ToolDefinition, args: Json): Read | { readonly refused: ToolResult } {
  if (typeof args === "string") return { refused: toolError(callTexts.notJson(tool.name)) };
  const named = isPlain(args) && tool.input instanceof z.ZodObject ? withOwnNames(tool, args) : { args };
  if ("refused" in named) return named;
  const { result, adjusted } = parseWeakly(tool.input, named.args);
  if (result.success) return { parsed: result.data, adjusted };
  const [issue] = result.error.issues;
  const field = issue?.path.join(".") || callTexts.allArguments;
  return { refused: toolError(callTexts.invalidArgument(field, issue?.message ?? callTexts.doesNotFit)) };
}

/** Every argument under the name the tool knows it by. What the tool does not know is refused, never dropped in silence. */
function withOwnNames(
  tool: ToolDefinition,
  args: Arguments,
): { readonly args: Arguments } | { readonly refused: ToolResult } {
  const known = Object.keys((tool.input as z.ZodObject).shape);
  const { synonyms = {}, implied = {}, refused = {} } = tool.otherNames ?? {};
  const own: Record<string, Json> = {};
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(args)) {
    const meant = known.includes(name)
      ? name
      : (synonyms[name] ?? known.find((candidate) => folded(candidate) === folded(name)));
    const nothing = value === null || value === "" || implied[name] === value;
    if (meant !== undefined && (meant === name || !(meant in args || meant in own))) own[meant] = value;
    else if (!nothing) unknown.push(name);
  }
  if (unknown.length === 0) return { args: own };
  const reasons = [...new Set(unknown.flatMap((name) => refused[name] ?? []))];
  const near = [...new Set(unknown.flatMap((name) => synonyms[name] ?? nearestNames(name, known, 1)))];
  const hint = near.length > 0 ? callTexts.didYouMean(near) : callTexts.itsParameters(known);
  return {
    refused: toolError(callTexts.unknownParameters(tool.name, unknown), reasons.length > 0 ? reasons.join(" ") : hint),
  };
}

function folded(name: string): string {
  return name.replace(/[_-]/g, "").toLowerCase();
}

/**
 * FC-314: arguments as weaker models write them, taken where nothing is lost: `null` or `""` for something optional, `"5"` for a
 * number, `"true"` for a flag, a list or an object as JSON text, one value for a list of one. A number above its limit becomes the
 * limit, and `adjusted` says so. The result of the schema either way.
 */
function parseWeakly(input: z.ZodType, args: Json) {
  const strict = input.safeParse(args);
  const adjusted: string[] = [];
  let result = strict;
  let value = args;
  for (let round = 0; round < MAX_ROUNDS && !result.success; round += 1) {
    const next = result.error.issues.reduce<Json>((weaker, issue) => weakened(weaker, issue, adjusted), value);
    if (next === value) break;
    value = next;
    result = input.safeParse(value);
  }
  // What did not help must not change what the model reads of its own words.
  return result.success ? { result, adjusted } : { result: strict, adjusted: [] };
}

function weakened(args: Json, issue: z.core.$ZodIssue, adjusted: string[]): Json {
  const [key, ...deeper] = issue.path;
  if (typeof key !== "string" || !isPlain(args) || !(key in args)) return args;
  const { [key]: value, ...rest } = args;
  if (value === undefined) return args;
  if (deeper.length > 0) {
    const inner = weakened(value, { ...issue, path: deeper } as z.core.$ZodIssue, adjusted);
    return inner === value ? args : { ...rest, [key]: inner };
  }
  if (value === null || value === "") return rest;
  const limit = limitOf(issue);
  if (limit !== null && typeof value === "number") adjusted.push(callTexts.lowered(key, value, limit));
  const other = limit !== null && typeof value === "number" ? limit : fitted(value, issue);
  return other === value ? args : { ...rest, [key]: other };
}

/** Null: the issue is no limit above which a smaller number means the same, only less of it. */
function limitOf(issue: z.core.$ZodIssue): number | null {
  if (issue.code !== "too_big" || issue.inclusive === false) return null;
  const maximum = Number(issue.maximum);
  return maximum < Number.MAX_SAFE_INTEGER ? maximum : null;
}

function fitted(value: Json, issue: z.core.$ZodIssue): Json {
  if (issue.code === "invalid_type") return converted(value, issue.expected);
  if (issue.code !== "invalid_union") return value;
  for (const [first] of issue.errors) {
    const other = first === undefined || first.path.length > 0 ? value : fitted(value, first);
    if (other !== value) return other;
  }
  return value;
}

function converted(value: Json, expected: string): Json {
  switch (expected) {
    case "number":
    case "int":
      return typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;
    case "boolean":
      return value === "true" ? true : value === "false" ? false : value;
    case "array":
      return typeof value === "string" && value.trim().startsWith("[") ? fromText(value) : [value];
    case "object":
    case "record":
      return typeof value === "string" ? fromText(value) : value;
    default:
      return value;
  }
}

function fromText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function isPlain(value: Json): value is Arguments {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
