import { readFileSync } from "node:fs";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { IMPLEMENTED_METHODS, type MethodName } from "./method-names.ts";
import { badRequest, Refusal } from "./refusal.ts";
import type { MethodParams } from "./wire-types.ts";

interface ParamSchema {
  type?: string | string[];
  $ref?: string;
  anyOf?: ParamSchema[];
  properties?: Record<string, ParamSchema>;
}

interface SchemaFile {
  methods: Record<string, string | null>;
  knownMethods: string[];
  definitions: Record<string, ParamSchema>;
}

const schema = JSON.parse(readFileSync(new URL("bot-api.schema.json", import.meta.url), "utf8")) as SchemaFile;
const NO_PARAMS = "NoParams";
// Ajv compiles a definition when it is first asked for and keeps it: once per process, whatever the number of servers.
const ajv = new Ajv({ allErrors: false, strict: false, validateSchema: false, allowUnionTypes: true }).addSchema(
  { $id: "bot-api", definitions: { ...schema.definitions, [NO_PARAMS]: { type: "object" } } },
  "bot-api",
);

const byLowerCase = new Map(IMPLEMENTED_METHODS.map((name) => [name.toLowerCase(), name]));
const known = new Set(schema.knownMethods.map((name) => name.toLowerCase()));

/** Method names are matched without regard to case, as on the platform. Refuses with 404 what is not there. */
export function methodNamed(name: string): MethodName {
  const method = byLowerCase.get(name.toLowerCase());
  if (method !== undefined) return method;
  const reason = known.has(name.toLowerCase()) ? ` (${name} is not part of this emulator)` : "";
  throw new Refusal(404, `Not Found: method not found${reason}`);
}

/** A method missing from the file would otherwise take anything: the schema was not generated anew. */
function definitionOf(method: MethodName): string {
  const definition = schema.methods[method];
  if (definition === undefined) throw new Error(`bot-api.schema.json has no ${method}: run generate-schema.ts`);
  return definition ?? NO_PARAMS;
}

function validatorOf(method: MethodName): ValidateFunction {
  const validate = ajv.getSchema(`bot-api#/definitions/${definitionOf(method)}`);
  if (validate === undefined) throw new Error(`no schema for ${method}`);
  return validate;
}

function typesOf(param: ParamSchema): Set<string> {
  if (param.anyOf !== undefined) return new Set(param.anyOf.flatMap((option) => [...typesOf(option)]));
  if (param.$ref !== undefined) {
    const target = schema.definitions[param.$ref.replace("#/definitions/", "")];
    return target === undefined ? new Set() : typesOf(target);
  }
  if (param.type === undefined) return new Set();
  return new Set(Array.isArray(param.type) ? param.type : [param.type]);
}

/** A string where the schema wants something else: read it as the platform reads form fields. */
function fromText(name: string, text: string, types: Set<string>): unknown {
  if ((types.has("integer") || types.has("number")) && /^-?\d+(\.\d+)?$/.test(text.trim())) return Number(text);
  if (types.has("string")) return text;
  if (types.has("boolean")) {
    const lower = text.trim().toLowerCase();
    return lower === "true" || lower === "yes" || lower === "1";
  }
  if (types.has("object") || types.has("array")) {
    try {
      return JSON.parse(text);
    } catch {
      throw badRequest(`can't parse ${name.replaceAll("_", " ")} JSON object`);
    }
  }
  return text;
}

/** Missing parameters that the platform has an own sentence for. */
const MISSING: Record<string, string> = {
  chat_id: "chat_id is empty",
  text: "message text is empty",
  message_id: "message identifier is not specified",
  message_thread_id: "message thread identifier is not specified",
  user_id: "invalid user_id specified",
  action: "wrong parameter action in request",
  file_id: "file_id not specified",
  photo: "there is no photo in the request",
  document: "there is no document in the request",
};

function explain(error: ErrorObject | undefined): Refusal {
  if (error === undefined) return badRequest("wrong parameters");
  if (error.keyword === "required" && error.instancePath === "") {
    const missing = String(error.params.missingProperty);
    return badRequest(MISSING[missing] ?? `parameter "${missing}" is required`);
  }
  if (error.keyword === "additionalProperties") {
    const where = error.instancePath === "" ? "" : ` in ${error.instancePath.slice(1)}`;
    return badRequest(`unknown parameter "${String(error.params.additionalProperty)}"${where}`);
  }
  if (error.instancePath.startsWith("/reaction/")) return badRequest("REACTION_INVALID");
  if (error.instancePath === "/parse_mode") return badRequest("unsupported parse_mode");
  const where = error.instancePath === "" ? "request" : error.instancePath.slice(1);
  return badRequest(`wrong parameter ${where}: ${error.message ?? error.keyword}`);
}

/**
 * Turns what came over the wire into the parameters of `method`: strings coerced, empty optional strings of forms
 * kept, nulls dropped (the platform treats them as absent), everything checked against the generated schema.
 * Refuses with 400 otherwise.
 */
export function checkedParams<Name extends MethodName>(method: Name, raw: Record<string, unknown>): MethodParams<Name> {
  const properties = schema.definitions[definitionOf(method)]?.properties ?? {};
  const params: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(raw)) {
    if (value === null || value === undefined) continue;
    const param = properties[name];
    params[name] = typeof value === "string" && param !== undefined ? fromText(name, value, typesOf(param)) : value;
  }
  const validate = validatorOf(method);
  if (!validate(params)) throw explain(validate.errors?.[0]);
  return params as MethodParams<Name>;
}
