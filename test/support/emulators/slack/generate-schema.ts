/**
 * Writes `web-api.schema.json`: the JSON schema of the arguments of every implemented Web API method, made from the
 * argument types in `@slack/web-api`. Run by hand when that package or `method-names.ts` changes:
 * `node test/support/emulators/slack/generate-schema.ts`.
 *
 * The types say "text or blocks or attachments" and the like by unions, for which the platform has errors of its own
 * (`no_text`, …). Each method's union is therefore laid out flat: every argument with every form it may have, required
 * only what every alternative requires. A bare `{type, block_id}` that the types allow for blocks of the future is
 * dropped: only known blocks and elements pass.
 */
import { writeFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createGenerator } from "ts-json-schema-generator";
import { IMPLEMENTED_METHODS, METHODS } from "./method-names.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

/** Definitions that stand for "anything of this family". */
const OPEN_ENDED = new Set(["#/definitions/Block", "#/definitions/Chunk"]);

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNever(schema: Json | undefined): boolean {
  return isObject(schema) && isObject(schema.not) && Object.keys(schema.not).length === 0;
}

/** The options of a schema, without doubles; `never` is none. */
function options(schema: Json): Json[] {
  if (isNever(schema)) return [];
  return isObject(schema) && Array.isArray(schema.anyOf) ? schema.anyOf.flatMap(options) : [schema];
}

function oneOf(schemas: Json[]): Json {
  const distinct = [...new Map(schemas.flatMap(options).map((entry) => [JSON.stringify(entry), entry])).values()];
  return distinct.length === 1 && distinct[0] !== undefined ? distinct[0] : { anyOf: distinct };
}

/** Drops descriptions, follows no reference, and shortens the plain cases. */
function onTheWire(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(onTheWire);
  if (!isObject(schema)) return schema;
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "description" || key === "$schema") continue;
    if (key === "$ref" && typeof value === "string") out.$ref = decodeURIComponent(value);
    else if (key === "properties" && isObject(value)) {
      const inner = Object.entries(value).filter(([, property]) => !isNever(property));
      out.properties = Object.fromEntries(inner.map(([name, property]) => [name, onTheWire(property)]));
    } else if (key === "anyOf" && Array.isArray(value)) {
      const kept = value.map(onTheWire).filter((o) => !(isObject(o) && OPEN_ENDED.has(String(o.$ref))));
      const whole = oneOf(kept.length === 0 ? value.map(onTheWire) : kept);
      if (isObject(whole)) Object.assign(out, whole);
    } else out[key] = onTheWire(value);
  }
  return out;
}

/** One object schema for all alternatives of a method's arguments. */
function flat(schema: Json, definitions: JsonObject): JsonObject {
  const alternatives = (entry: Json): JsonObject[] => {
    if (!isObject(entry)) return [];
    if (typeof entry.$ref === "string")
      return alternatives(definitions[entry.$ref.replace("#/definitions/", "")] ?? null);
    if (Array.isArray(entry.anyOf)) return entry.anyOf.flatMap(alternatives);
    if (Array.isArray(entry.allOf)) return entry.allOf.flatMap(alternatives);
    return entry.type === "object" ? [entry] : [];
  };
  const all = alternatives(schema);
  const forms = new Map<string, Json[]>();
  for (const { properties } of all) {
    if (!isObject(properties)) continue;
    for (const [name, form] of Object.entries(properties)) forms.set(name, [...(forms.get(name) ?? []), form]);
  }
  const required = [...forms.keys()].filter((name) =>
    all.every((entry) => Array.isArray(entry.required) && entry.required.includes(name)),
  );
  return {
    type: "object",
    properties: Object.fromEntries([...forms].sort(([a], [b]) => a.localeCompare(b)).map(([n, f]) => [n, oneOf(f)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** Keeps only the definitions that the methods reach. */
function reachable(definitions: JsonObject, roots: Json): JsonObject {
  const wanted = new Set<string>();
  const visit = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isObject(value)) {
      const name = typeof value.$ref === "string" ? value.$ref.replace("#/definitions/", "") : null;
      if (name !== null && !wanted.has(name)) {
        wanted.add(name);
        visit(definitions[name] ?? null);
      }
      Object.values(value).forEach(visit);
    }
  };
  visit(roots);
  return Object.fromEntries([...wanted].sort().map((name) => [name, definitions[name] ?? null]));
}

const manifest = findPackageJSON("@slack/web-api", import.meta.url);
if (manifest === undefined) throw new Error("@slack/web-api is not installed");
const types = IMPLEMENTED_METHODS.map((name) => METHODS[name].args as string);
const generated = createGenerator({
  path: join(dirname(manifest), "dist", "types", "request", "index.d.ts"),
  type: types,
  skipTypeCheck: true,
  expose: "export",
  jsDoc: "none",
  additionalProperties: false,
}).createSchema(types);
// The generator's own output type allows more than JSON; a round trip through text leaves exactly JSON.
const definitions = onTheWire(JSON.parse(JSON.stringify(generated.definitions ?? {})) as Json);
if (!isObject(definitions)) throw new Error("the generator gave no definitions");
const methods = Object.fromEntries(
  IMPLEMENTED_METHODS.map((name) => [name, flat(definitions[METHODS[name].args] ?? null, definitions)]),
);
const output = { methods, definitions: reachable(definitions, methods) };
const target = fileURLToPath(new URL("web-api.schema.json", import.meta.url));
writeFileSync(target, `${JSON.stringify(output)}\n`);
process.stdout.write(`${target}: ${types.length} methods, ${Object.keys(output.definitions).length} definitions\n`);
