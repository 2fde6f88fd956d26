/**
 * Writes `bot-api.schema.json`: the JSON schema of the parameters of every implemented Bot API method, made from
 * the types in `@gramio/types` (themselves generated from the Bot API page). Run by hand when that package or
 * `method-names.ts` changes: `node test/support/emulators/telegram/generate-schema.ts`.
 *
 * Layout of the output: `methods` maps a method to the name of its parameter definition (null: none),
 * `definitions` holds the schemas, `knownMethods` lists every method of this Bot API version.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createGenerator } from "ts-json-schema-generator";
import { IMPLEMENTED_METHODS } from "./method-names.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

/** Bot API fields documented as Float; every other number on the page is an Integer. */
const FLOAT_FIELDS = new Set(["latitude", "longitude", "horizontal_accuracy", "x_shift", "y_shift", "scale"]);

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The types also allow objects with `toJSON` or `toString` and Blobs: methods for the client, never on the wire. */
function existsOnlyInTheClient(schema: Json): boolean {
  if (!isObject(schema)) return false;
  if (schema.$ref === "#/definitions/Blob" || schema.$ref === "#/definitions/TelegramInputFile") return true;
  const properties = isObject(schema.properties) ? Object.keys(schema.properties) : [];
  return properties.length === 1 && (properties[0] === "toJSON" || properties[0] === "toString");
}

function merged(options: Json[]): Json {
  const [only] = options;
  if (options.length === 1 && only !== undefined) return only;
  const types = options.flatMap((o) =>
    isObject(o) && Object.keys(o).length === 1 && typeof o.type === "string" ? [o.type] : [],
  );
  return types.length === options.length ? { type: types } : { anyOf: options };
}

/** Drops descriptions and client-only alternatives, and says `integer` where the page does. */
function onTheWire(schema: Json, field = ""): Json {
  if (Array.isArray(schema)) return schema.map((entry) => onTheWire(entry, field));
  if (!isObject(schema)) return schema;
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "description" || key === "$schema" || key === "markdownDescription") continue;
    if (key === "properties" && isObject(value)) {
      out.properties = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, onTheWire(inner, name)]));
    } else if (key === "$ref" && typeof value === "string") {
      out.$ref = decodeURIComponent(value).replaceAll("Objects.", "");
    } else if (key === "anyOf" && Array.isArray(value)) {
      const options = value
        .filter((option) => !existsOnlyInTheClient(option))
        .map((option) => onTheWire(option, field));
      const whole = merged(options);
      if (isObject(whole)) Object.assign(out, whole);
    } else if (key === "type" && !FLOAT_FIELDS.has(field)) {
      const asInteger = (type: Json): Json => (type === "number" ? "integer" : type);
      out.type = Array.isArray(value) ? value.map(asInteger) : asInteger(value);
    } else {
      out[key] = onTheWire(value, field);
    }
  }
  return out;
}

/** Keeps only what the wanted definitions reach. */
function reachable(definitions: JsonObject, roots: string[]): JsonObject {
  const wanted = new Set<string>();
  const visit = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isObject(value)) {
      if (typeof value.$ref === "string") add(value.$ref.replace("#/definitions/", ""));
      Object.values(value).forEach(visit);
    }
  };
  const add = (name: string): void => {
    if (wanted.has(name)) return;
    wanted.add(name);
    visit(definitions[name] ?? null);
  };
  roots.forEach(add);
  return Object.fromEntries([...wanted].sort().map((name) => [name, definitions[name] ?? null]));
}

const manifest = findPackageJSON("@gramio/types", import.meta.url);
if (manifest === undefined) throw new Error("@gramio/types is not installed");
const paramsFile = join(dirname(manifest), "out", "params.d.ts");
const methodsText = readFileSync(join(dirname(manifest), "out", "methods.d.ts"), "utf8");
const signatures = new Map(
  [...methodsText.matchAll(/^ {4}(\w+): (CallAPI\w*)<\s*(?:Params\.(\w+))?/gm)].map((m) => [m[1] ?? "", m[3] ?? null]),
);
const methods = IMPLEMENTED_METHODS.map((name) => {
  if (!signatures.has(name)) throw new Error(`${name} is not a method of this Bot API version`);
  return [name, signatures.get(name) ?? null] as const;
});
const paramTypes = methods.flatMap(([, type]) => (type === null ? [] : [type]));

const generated = createGenerator({
  path: paramsFile,
  type: paramTypes,
  skipTypeCheck: true,
  expose: "export",
  jsDoc: "none",
  additionalProperties: false,
}).createSchema(paramTypes);
// The generator's own output type allows more than JSON; a round trip through text leaves exactly JSON.
const definitions = onTheWire(JSON.parse(JSON.stringify(generated.definitions ?? {})) as Json);
if (!isObject(definitions)) throw new Error("the generator gave no definitions");
const named = Object.fromEntries(
  Object.entries(definitions).map(([name, schema]) => [name.replaceAll("Objects.", ""), schema]),
);

const output = {
  methods: Object.fromEntries(methods),
  knownMethods: [...signatures.keys()].sort(),
  definitions: reachable(named, paramTypes),
};
const target = fileURLToPath(new URL("bot-api.schema.json", import.meta.url));
writeFileSync(target, `${JSON.stringify(output)}\n`);
process.stdout.write(`${target}: ${methods.length} methods, ${Object.keys(output.definitions).length} definitions\n`);
