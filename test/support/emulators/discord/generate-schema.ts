/**
 * Writes `rest-api.schema.json`: the JSON schemas of the request bodies of every emulated route, made from the Zod
 * schemas in `discord-api-spec` (themselves generated from the platform's OpenAPI description). Run by hand when that
 * package or `route-table.ts` changes: `node test/support/emulators/discord/generate-schema.ts`.
 *
 * Layout of the output: `bodies` holds one schema per body, `$defs` what they share.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { BODIES } from "./route-table.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Fields the description lacks: documented ones, and what discord.js sends although the platform ignores it. */
const MORE_FIELDS: Record<string, JsonObject> = {
  ApplicationCommandCreateRequestSchema: { nsfw: { type: ["boolean", "null"] } },
  ApplicationCommandUpdateRequestSchema: { nsfw: { type: ["boolean", "null"] } },
  ApplicationCommandPatchRequestPartialSchema: { nsfw: { type: ["boolean", "null"] } },
  CreateTextThreadWithMessageRequestSchema: { type: { type: "integer" }, invitable: { type: ["boolean", "null"] } },
};

/** discord.js writes these into everything that is a message; where they mean nothing the platform ignores them. */
const MESSAGE_FIELDS: JsonObject = { tts: { type: ["boolean", "null"] }, enforce_nonce: { type: ["boolean", "null"] } };

/** Permission sets travel as decimal strings (Permissions, "serialized as strings"). */
const PERMISSION_FIELDS = new Set(["default_member_permissions", "allow", "deny"]);
const PERMISSIONS = { anyOf: [{ type: "string", pattern: "^[0-9]+$" }, { type: "integer" }, { type: "null" }] };

/** Objects are closed: the platform ignores what it does not know, this emulator refuses it. */
function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isObject(schema)) return schema;
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "$schema") continue;
    if (key === "properties" && isObject(value)) {
      out.properties = Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, PERMISSION_FIELDS.has(name) ? PERMISSIONS : closed(inner)]),
      );
    } else {
      out[key] = closed(value);
    }
  }
  // The pattern of a date-time allows only "Z"; offsets are as valid. The format is checked instead.
  if (out.format === "date-time") delete out.pattern;
  if (isObject(out.properties) && out.properties.allowed_mentions !== undefined) {
    out.properties = { ...MESSAGE_FIELDS, ...out.properties };
  }
  if (out.type === "object" && out.properties !== undefined && out.additionalProperties === undefined) {
    out.additionalProperties = false;
  }
  return out;
}

// The package's types for this entry are its JavaScript; what is read here are Zod schemas by name.
const source = "discord-api-spec/zod";
const schemas = (await import(source)) as Record<string, z.ZodType>;
const names = [...new Set(Object.values(BODIES).flat())].sort();
const wanted = Object.fromEntries(
  names.map((name) => {
    const schema = schemas[name];
    if (schema === undefined) throw new Error(`discord-api-spec has no ${name}`);
    return [name, schema];
  }),
);
const generated = z.toJSONSchema(z.object(wanted), { io: "input", unrepresentable: "any", reused: "ref" });
// A round trip through text leaves exactly JSON.
const whole = closed(JSON.parse(JSON.stringify(generated)) as Json);
if (!isObject(whole)) throw new Error("the generator gave no schema");
for (const [name, fields] of Object.entries(MORE_FIELDS)) {
  const body = isObject(whole.properties) ? whole.properties[name] : undefined;
  if (!isObject(body) || !isObject(body.properties)) throw new Error(`${name} is no object`);
  Object.assign(body.properties, fields);
}
const output = { bodies: whole.properties ?? {}, $defs: whole.$defs ?? {} };
const target = fileURLToPath(new URL("rest-api.schema.json", import.meta.url));
const text = JSON.stringify(output);
writeFileSync(target, `${text}\n`);
process.stdout.write(`${target}: ${names.length} bodies, ${text.length} bytes\n`);
