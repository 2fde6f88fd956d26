import type { Json, JsonObject } from "../../../core/json.ts";
import { isJsonObject } from "../../../core/json.ts";
import type { ModelTool } from "../../../core/model.ts";
import type { Quirks } from "../../../core/quirks.ts";

/** Whose schemas: `chat` stands for every server behind OpenAI's chat form, of which some compile schemas to grammars. */
type Dialect = "chat" | "openai" | "anthropic" | "google";

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
}

const MAX_DEPTH = 12;
/** Of one tool's schema with its references resolved: one that refers to itself several times would grow without end (FC-402). */
const MAX_NODES = 1_000;
/** Keywords that add nothing the tool does not check itself, and that some server refuses or cannot compile (llama.cpp: long `maxLength`, `pattern`). */
const CHECKS = [
  "$schema",
  "$id",
  "$comment",
  "pattern",
  "format",
  "minLength",
  "maxLength",
  "uniqueItems",
  "contentEncoding",
  "examples",
  "default",
];
/** https://ai.google.dev/api/caching#Schema */
const GOOGLE = [
  "type",
  "description",
  "nullable",
  "enum",
  "items",
  "properties",
  "required",
  "anyOf",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
];
const SIMPLE = ["type", "description", "enum", "items", "properties", "required"];

/** FC-307: the tools as this server takes them. Arguments are checked by the tool itself, so that a schema that says less loses nothing. */
export function offeredTools(tools: readonly ModelTool[], quirks: Quirks, dialect: Dialect): readonly OfferedTool[] {
  if (quirks.tools === "none") return [];
  return tools
    .filter(({ name }) => !quirks.withoutTools.includes(name))
    .map(({ name, description, parameters }) => ({
      name,
      description: description.toWellFormed(),
      schema: argumentSchema(parameters, quirks.tools === "simple" ? "simple" : dialect),
    }));
}

/** The schema of a tool's arguments: always an object with properties, references resolved. */
export function argumentSchema(schema: JsonObject, dialect: Dialect | "simple"): JsonObject {
  const whole = completed(schema, { root: schema, dialect, depth: 0, nodes: { left: MAX_NODES } });
  const merged = mergedBranches(whole);
  const properties = isJsonObject(merged.properties) ? merged.properties : {};
  const names = Object.keys(properties);
  const required = Array.isArray(merged.required) ? merged.required.filter((name) => names.includes(String(name))) : [];
  const {
    anyOf: _any,
    oneOf: _one,
    allOf: _all,
    $defs: _defs,
    definitions: _definitions,
    not: _not,
    enum: _enum,
    ...rest
  } = merged;
  const { required: _required, ...open } = rest;
  return { ...open, type: "object", properties, ...(required.length === 0 ? {} : { required }) };
}

interface Place {
  readonly root: JsonObject;
  readonly dialect: Dialect | "simple";
  readonly depth: number;
  /** Shared by all parts of one schema. */
  readonly nodes: { left: number };
}

function completed(schema: JsonObject, place: Place): JsonObject {
  place.nodes.left -= 1;
  if (place.depth > MAX_DEPTH || place.nodes.left < 0) return {};
  const resolved = resolveReference(schema, place.root);
  const deeper = { ...place, depth: place.depth + 1 };
  const made: Record<string, Json> = {};
  for (const [key, value] of Object.entries(resolved)) {
    if (CHECKS.includes(key) || key === "$ref") continue;
    if (key === "properties" && isJsonObject(value)) {
      made.properties = Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, isJsonObject(inner) ? completed(inner, deeper) : {}]),
      );
    } else if (key === "items" || key === "additionalProperties") {
      const inner = Array.isArray(value) ? value[0] : value;
      made[key] = isJsonObject(inner) ? completed(inner, deeper) : key === "items" ? {} : (inner ?? true);
    } else if ((key === "anyOf" || key === "oneOf" || key === "allOf") && Array.isArray(value)) {
      made[key] = value.filter(isJsonObject).map((inner) => completed(inner, deeper));
    } else made[key] = value;
  }
  if (made.type === undefined && made.properties !== undefined) made.type = "object";
  if (made.type === "array" && !isJsonObject(made.items)) made.items = { type: "string" };
  return place.dialect === "google" || place.dialect === "simple" ? narrowed(made, place.dialect) : made;
}

/** Google's subset of OpenAPI, and the few keywords that everybody knows. */
function narrowed(schema: Record<string, Json>, dialect: "google" | "simple"): JsonObject {
  const types = Array.isArray(schema.type) ? schema.type.filter((type) => type !== "null") : [schema.type];
  const made: Record<string, Json> = { ...schema };
  if (Array.isArray(schema.type)) {
    made.type = types[0] ?? "string";
    if (schema.type.includes("null")) made.nullable = true;
  }
  if (schema.const !== undefined) made.enum = [schema.const];
  if (Array.isArray(made.enum)) {
    const texts = made.enum.filter((value) => typeof value === "string" && value !== "");
    if (texts.length > 0) Object.assign(made, { type: "string", enum: texts });
    else delete made.enum;
  }
  const branches = [schema.anyOf, schema.oneOf].find(Array.isArray) as readonly JsonObject[] | undefined;
  const real = branches?.filter((branch) => branch.type !== "null");
  if (real !== undefined && (dialect === "simple" || real.length === 1)) {
    const { description } = made;
    Object.assign(made, real[0], description === undefined ? {} : { description });
    delete made.anyOf;
  } else if (real !== undefined) made.anyOf = real;
  if (made.type === undefined && made.anyOf === undefined)
    made.type = made.properties === undefined ? "string" : "object";
  if (made.type === "array" && (!isJsonObject(made.items) || Object.keys(made.items).length === 0))
    made.items = { type: "string" };
  const known = dialect === "google" ? GOOGLE : SIMPLE;
  return Object.fromEntries(Object.entries(made).filter(([key]) => known.includes(key)));
}

/** No vendor takes branches at the top: their properties are offered together, required is what all branches require. */
function mergedBranches(schema: JsonObject): JsonObject {
  const all = Array.isArray(schema.allOf) ? schema.allOf.filter(isJsonObject) : [];
  const any = [schema.anyOf, schema.oneOf].flatMap((branches) =>
    Array.isArray(branches) ? branches.filter(isJsonObject) : [],
  );
  if (all.length + any.length === 0) return schema;
  const properties = Object.assign(
    {},
    ...[...any, ...all, schema].map(({ properties: own }) => (isJsonObject(own) ? own : {})),
  );
  const requiredOf = (part: JsonObject): readonly Json[] => (Array.isArray(part.required) ? part.required : []);
  const [first, ...others] = any;
  const common =
    first === undefined
      ? []
      : requiredOf(first).filter((name) => others.every((one) => requiredOf(one).includes(name)));
  const required = [...new Set([...requiredOf(schema), ...all.flatMap(requiredOf), ...common])];
  return { ...schema, properties, required };
}

/** Not every such escape can be decoded, and no honest reference has one beyond ASCII. */
const BROKEN_ESCAPE = /%(?![0-7][0-9a-f])/i;

function resolveReference(schema: JsonObject, root: JsonObject): JsonObject {
  if (typeof schema.$ref !== "string") return schema;
  if (!schema.$ref.startsWith("#/") || BROKEN_ESCAPE.test(schema.$ref)) return {};
  let at: Json | undefined = root;
  for (const step of schema.$ref.slice(2).split("/")) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    at = isJsonObject(at) ? at[key] : undefined;
  }
  const { $ref: _ref, ...beside } = schema;
  return isJsonObject(at) ? { ...at, ...beside } : beside;
}
