import type { z } from "zod";
import type { Json } from "../../core/json.ts";

const MAX_ROUNDS = 3;

/**
 * FC-314: arguments as weaker models write them, taken where nothing is lost: `null` or `""` for something optional, `"5"` for a
 * number, `"true"` for a flag, a list or an object as JSON text, one value for a list of one. The result of the schema either way.
 */
export function parseWeakly(input: z.ZodType, args: Json): z.ZodSafeParseResult<unknown> {
  const strict = input.safeParse(args);
  let parsed = strict;
  let value = args;
  for (let round = 0; round < MAX_ROUNDS && !parsed.success; round += 1) {
    const next = parsed.error.issues.reduce<Json>((weaker, issue) => weakened(weaker, issue), value);
    if (next === value) break;
    value = next;
    parsed = input.safeParse(value);
  }
  // What did not help must not change what the model reads of its own words.
  return parsed.success ? parsed : strict;
}

function weakened(args: Json, issue: z.core.$ZodIssue): Json {
  const [key, ...deeper] = issue.path;
  if (typeof key !== "string" || !isPlain(args) || !(key in args)) return args;
  const { [key]: value, ...rest } = args;
  if (value === undefined) return args;
  if (deeper.length > 0) {
    const inner = weakened(value, { ...issue, path: deeper } as z.core.$ZodIssue);
    return inner === value ? args : { ...rest, [key]: inner };
  }
  if (value === null || value === "") return rest;
  const other = issue.code === "invalid_type" ? converted(value, issue.expected) : value;
  return other === value ? args : { ...rest, [key]: other };
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

function isPlain(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
