import type { JsonObject } from "../../core/json.ts";

/** A larger one would crowd the conversation out of the model's window. */
const MAX_BYTES = 16 * 1024;
/** Names of arguments that every model takes. */
const ARGUMENT = /^[A-Za-z0-9_.-]{1,64}$/;
/** Models refuse these at the top of a tool's schema, and with it the whole request; the server checks the arguments itself. */
const NOT_AT_THE_TOP: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "anyOf",
  "oneOf",
  "allOf",
  "not",
  "enum",
  "const",
]);

/** A server's input schema as models take it, or why they would not. Pure. */
export function parametersOf(schema: unknown): { readonly parameters: JsonObject } | { readonly refused: string } {
  if (!isObject(schema) || schema.type !== "object") return { refused: "its input schema describes no object" };
  const properties = schema.properties ?? {};
  if (!isObject(properties)) return { refused: "its input schema has no readable properties" };
  const odd = Object.keys(properties).find((name) => !ARGUMENT.test(name));
  if (odd !== undefined)
    return { refused: `models do not take the name of its argument ${JSON.stringify(odd.slice(0, 80))}` };
  const kept = Object.entries(schema).filter(([key]) => !NOT_AT_THE_TOP.has(key));
  const parameters = { ...Object.fromEntries(kept), properties };
  const bytes = Buffer.byteLength(JSON.stringify(parameters));
  if (bytes > MAX_BYTES) return { refused: `its input schema has ${bytes} bytes; ${MAX_BYTES} are taken` };
  // It came out of JSON, so it is nothing else.
  return { parameters: parameters as JsonObject };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
