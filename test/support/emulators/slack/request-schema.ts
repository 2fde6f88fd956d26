import { readFileSync } from "node:fs";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { IMPLEMENTED_METHODS, type MethodName } from "./method-names.ts";
import { type Refusal, refused } from "./refusal.ts";
import type { MethodArgs } from "./wire-types.ts";

interface ArgumentSchema {
  type?: string | string[];
  $ref?: string;
  anyOf?: ArgumentSchema[];
  properties?: Record<string, ArgumentSchema>;
}

interface SchemaFile {
  methods: Record<string, ArgumentSchema>;
  definitions: Record<string, ArgumentSchema>;
}

const schema = JSON.parse(readFileSync(new URL("web-api.schema.json", import.meta.url), "utf8")) as SchemaFile;
// Ajv compiles a method when it is first asked for and keeps it: once per process, whatever the number of servers.
const ajv = new Ajv({ allErrors: false, strict: false, validateSchema: false, allowUnionTypes: true });
ajv.addSchema({ $id: "web-api", ...schema }, "web-api");

const names = new Set<string>(IMPLEMENTED_METHODS);

/** Refuses a method that is not there, as on the platform; names are matched exactly. */
export function methodNamed(name: string): MethodName {
  if (!names.has(name)) throw refused("unknown_method", `${name} is no method, or not part of this emulator`);
  return name as MethodName;
}

function validatorOf(method: MethodName): ValidateFunction {
  const validate = ajv.getSchema(`web-api#/methods/${method}`);
  // A method missing from the file would otherwise take anything: the schema was not generated anew.
  if (validate === undefined) throw new Error(`web-api.schema.json has no ${method}: run generate-schema.ts`);
  return validate;
}

function typesOf(argument: ArgumentSchema): Set<string> {
  if (argument.anyOf !== undefined) return new Set(argument.anyOf.flatMap((option) => [...typesOf(option)]));
  if (argument.$ref !== undefined) {
    const target = schema.definitions[argument.$ref.replace("#/definitions/", "")];
    return target === undefined ? new Set() : typesOf(target);
  }
  if (argument.type === undefined) return new Set();
  return new Set(Array.isArray(argument.type) ? argument.type : [argument.type]);
}

/** A string where the schema wants something else: read it as the platform reads form fields. */
function fromText(name: string, text: string, types: Set<string>): unknown {
  if (types.has("string")) return text;
  if (types.has("boolean") && /^(true|false|1|0)$/i.test(text)) return text === "1" || text.toLowerCase() === "true";
  if (types.has("number") && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (types.has("object") || types.has("array")) {
    try {
      return JSON.parse(text);
    } catch {
      throw refused(name === "blocks" ? "invalid_blocks_format" : "invalid_arguments", `[ERROR] ${name} is no JSON`);
    }
  }
  return text;
}

/** Arguments the platform has an error of its own for when they are missing or malformed. */
const MISSING: Record<string, string> = {
  channel: "channel_not_found",
  user: "user_not_found",
  ts: "message_not_found",
  timestamp: "no_item_specified",
  name: "invalid_name",
  trigger_id: "invalid_trigger_id",
};
const MALFORMED: Record<string, string> = {
  blocks: "invalid_blocks",
  attachments: "invalid_attachments",
  metadata: "invalid_metadata_format",
  chunks: "invalid_chunks",
};

function explain(error: ErrorObject | null | undefined): Refusal {
  const detail = `${error?.message ?? "not valid"} [json-pointer:${error?.instancePath ?? ""}]`;
  if (error?.keyword === "required" && error.instancePath === "") {
    const missing = String(error.params.missingProperty);
    return refused(MISSING[missing] ?? "invalid_arguments", `[ERROR] missing required field: ${missing}`);
  }
  if (error?.keyword === "additionalProperties" && error.instancePath === "") {
    return refused("invalid_arguments", `[ERROR] unknown argument: ${String(error.params.additionalProperty)}`);
  }
  const argument = error?.instancePath.split("/")[1] ?? "";
  return refused(MALFORMED[argument] ?? "invalid_arguments", `[ERROR] ${detail}`);
}

/**
 * Turns what came over the wire into the arguments of `method`: form strings read as what the schema wants, empty
 * strings and nulls of optional arguments dropped (the platform treats them as absent), everything checked against
 * the generated schema. Refuses otherwise.
 */
export function checkedArgs<Name extends MethodName>(method: Name, raw: Record<string, unknown>): MethodArgs<Name> {
  const properties = schema.methods[method]?.properties ?? {};
  const args: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(raw)) {
    if (value === null || value === undefined || name === "token") continue;
    const argument = properties[name];
    // Bolt's clients put the workspace into every call.
    if (name === "team_id" && argument === undefined) continue;
    args[name] = typeof value === "string" && argument !== undefined ? fromText(name, value, typesOf(argument)) : value;
  }
  const validate = validatorOf(method);
  if (!validate(args)) throw explain(validate.errors?.[0]);
  return args as MethodArgs<Name>;
}
