import { readFileSync } from "node:fs";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { type FieldError, invalidForm } from "./refusal.ts";
import { BODIES, LIST_BODIES, type RouteName } from "./route-table.ts";

interface SchemaFile {
  bodies: Record<string, object>;
  $defs: Record<string, object>;
}

const schema = JSON.parse(readFileSync(new URL("rest-api.schema.json", import.meta.url), "utf8")) as SchemaFile;
// Ajv compiles a body when it is first asked for and keeps it: once per process, whatever the number of servers.
const ajv = new Ajv({ allErrors: true, strict: false, validateSchema: false, verbose: true })
  .addFormat("uri", (text) => /^(https?|attachment):\/\/\S+$/i.test(text))
  .addFormat("date-time", (text) => !Number.isNaN(Date.parse(text)))
  .addFormat("int32", true)
  .addSchema({ $id: "rest-api", ...schema, $defs: schema.$defs }, "rest-api");

function validatorOf(name: string): ValidateFunction {
  const validate = schema.bodies[name] === undefined ? undefined : ajv.getSchema(`rest-api#/bodies/${name}`);
  if (validate === undefined) throw new Error(`rest-api.schema.json has no ${name}: run generate-schema.ts`);
  return validate;
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function convert(type: unknown, value: unknown): Pick<FieldError, "code" | "message"> {
  const wanted = Array.isArray(type) ? type[0] : type;
  switch (wanted) {
    case "object":
      return { code: "MODEL_TYPE_CONVERT", message: "Only dictionaries may be used in a ModelType" };
    case "array":
      return { code: "LIST_TYPE_CONVERT", message: "Only iterables may be used in a ListType" };
    case "boolean":
      return { code: "BOOLEAN_TYPE_CONVERT", message: "Must be either true or false." };
    case "integer":
    case "number":
      return { code: "NUMBER_TYPE_COERCE", message: `Value "${shown(value)}" is not int.` };
    default:
      return { code: "STRING_TYPE_CONVERT", message: `Could not interpret "${shown(value)}" as string.` };
  }
}

function complaint(error: ErrorObject): Pick<FieldError, "code" | "message"> {
  const limit = String(error.params.limit);
  switch (error.keyword) {
    case "required":
      return { code: "BASE_TYPE_REQUIRED", message: "This field is required" };
    case "maxLength":
    case "maxItems":
      return { code: "BASE_TYPE_MAX_LENGTH", message: `Must be ${limit} or fewer in length.` };
    case "minLength":
    case "minItems":
      return { code: "BASE_TYPE_MIN_LENGTH", message: `Must be ${limit} or more in length.` };
    case "maximum":
      return { code: "NUMBER_TYPE_MAX", message: `Value should be less than or equal to ${limit}.` };
    case "minimum":
      return { code: "NUMBER_TYPE_MIN", message: `Value should be greater than or equal to ${limit}.` };
    case "enum":
    case "const":
      return { code: "BASE_TYPE_CHOICES", message: "Value is not one of the allowed ones." };
    case "pattern":
      return { code: "NUMBER_TYPE_COERCE", message: `Value "${shown(error.data)}" is not snowflake.` };
    case "format":
      return { code: "URL_TYPE_INVALID_URL", message: "Not a well formed URL." };
    case "additionalProperties":
      return { code: "UNKNOWN_FIELD", message: "The platform does not know this field." };
    default:
      return convert(error.params.type, error.data);
  }
}

function pathOf(error: ErrorObject): FieldError["path"] {
  const path = error.instancePath.split("/").slice(1);
  if (error.keyword === "required") path.push(String(error.params.missingProperty));
  if (error.keyword === "additionalProperties") path.push(String(error.params.additionalProperty));
  return path;
}

/** Alternatives that failed by their kind alone ("… or null") say nothing about what is wrong. */
function telling(errors: readonly ErrorObject[]): ErrorObject[] {
  const own = errors.filter((error) => error.keyword !== "anyOf" && error.keyword !== "propertyNames");
  const deepest = Math.max(0, ...own.map((error) => pathOf(error).length));
  const sameDepth = own.filter((error) => pathOf(error).length === deepest);
  const withoutKinds = sameDepth.filter((error) => !["type", "const"].includes(error.keyword));
  return withoutKinds.length > 0 ? withoutKinds : sameDepth;
}

function errorsOf(name: string, value: unknown, at: FieldError["path"]): FieldError[] {
  const validate = validatorOf(name);
  if (validate(value)) return [];
  const found = new Map<string, FieldError>();
  for (const error of telling(validate.errors ?? [])) {
    const path = [...at, ...pathOf(error)];
    const key = path.join("/");
    if (!found.has(key)) found.set(key, { path, ...complaint(error) });
  }
  return [...found.values()];
}

/** What is wrong with a value under the best fitting of some schemas; nothing when one takes it. */
function bestErrors(names: readonly string[], value: unknown, at: FieldError["path"]): FieldError[] {
  let best: FieldError[] | null = null;
  for (const name of names) {
    const errors = errorsOf(name, value, at);
    if (errors.length === 0) return [];
    if (best === null || errors.length < best.length) best = errors;
  }
  return best ?? [];
}

/** Checks a request's body against the generated schema. Refuses with 50035 and the complaints by field. */
export function checkBody(route: RouteName, body: unknown): void {
  if (!hasBody(route)) return;
  const names = BODIES[route];
  if (LIST_BODIES.has(route)) {
    if (!Array.isArray(body)) throw invalidForm({ path: [], ...convert("array", body) });
    const errors = body.flatMap((item, index) => bestErrors(names, item, [index]));
    if (errors.length > 0) throw invalidForm(...errors);
    return;
  }
  const errors = bestErrors(names, body, []);
  if (errors.length > 0) throw invalidForm(...errors);
}

/** Whether a route takes a body. */
export function hasBody(route: RouteName): route is keyof typeof BODIES {
  return Object.hasOwn(BODIES, route);
}
