import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { type ToolResult, toolError } from "../../core/errors.ts";
import { matchesName } from "../../core/ids.ts";
import type { JsonObject } from "../../core/json.ts";
import type { McpServerSettings } from "../../core/settings.ts";
import { cutMiddle, cutText } from "../../core/text/cut.ts";
import { escapeMarkers } from "../../core/text/prompt-words.ts";
import { serverTexts } from "../../core/texts/agent/tool-calls.ts";
import { SERVER_SEPARATOR } from "../policy.ts";
import type { ToolContext, ToolDefinition } from "../tool.ts";

/** What of one server is taken; its `tools` chooses when it has more. */
export const MAX_TOOLS_OF_SERVER = 64;
const MAX_DESCRIPTION = 1_024;

/** Calls a tool by the server's own name of it; throws a ToolError. */
export type CallServer = (
  tool: string,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
) => Promise<ToolResult>;

export interface AdaptedTools {
  readonly tools: readonly ToolDefinition[];
  /** What was left out and why, in words for the operator. */
  readonly leftOut: readonly string[];
}

/**
 * A server's list as tools (ST-42). Everything in it is foreign text: what does not fit is left out and said, descriptions are
 * bounded and marked as the server's. Pure.
 */
export function adaptTools(
  server: Pick<McpServerSettings, "name" | "tools">,
  listed: readonly unknown[],
  call: CallServer,
): AdaptedTools {
  const tools = new Map<string, ToolDefinition>();
  const leftOut: string[] = [];
  let tooMany = 0;
  for (const entry of listed) {
    if (!isObject(entry) || typeof entry.name !== "string" || entry.name === "") {
      leftOut.push(serverTexts.leftOut.unnamed);
      continue;
    }
    const own = entry.name;
    const shown = JSON.stringify(own.slice(0, 100));
    if (server.tools !== null && !server.tools.some((pattern) => matchesName(pattern, own))) continue;
    const name = mcpToolName(server.name, own);
    const schema = parametersOf(entry.inputSchema);
    if ("refused" in schema) leftOut.push(serverTexts.leftOut.one(shown, schema.refused));
    else if (tools.has(name)) leftOut.push(serverTexts.leftOut.one(shown, serverTexts.leftOut.twice));
    else if (tools.size >= MAX_TOOLS_OF_SERVER) tooMany += 1;
    else {
      tools.set(name, {
        name,
        description: descriptionOf(server.name, entry),
        group: "mcp",
        profiles: [],
        subagents: "all",
        input: z.record(z.string(), z.unknown()),
        output: z.looseObject({ status: z.string() }),
        parameters: () => schema.parameters,
        execute: async (args, context) => ({ result: await call(own, asArguments(args), context) }),
      });
    }
  }
  if (tooMany > 0) {
    leftOut.push(serverTexts.leftOut.tooMany(tooMany, MAX_TOOLS_OF_SERVER, server.name));
  }
  return { tools: [...tools.values()], leftOut };
}

function asArguments(args: unknown): Readonly<Record<string, unknown>> {
  return isObject(args) ? args : {};
}

function descriptionOf(server: string, { description, title }: Readonly<Record<string, unknown>>): string {
  const said = typeof description === "string" ? description : typeof title === "string" ? title : "";
  // Control characters say nothing to a model and can hide text from the operator who reads `/tools verbose`.
  const plain = said.replace(/[^\P{C}\n\t]/gu, "").trim();
  return serverTexts.description(server, escapeMarkers(cutText(plain, MAX_DESCRIPTION).text));
}

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
  const completed = isObject(schema) ? completeSchema(schema) : null;
  if (completed === null) return { refused: serverTexts.leftOut.noObject };
  const { properties } = completed;
  if (!isObject(properties)) return { refused: serverTexts.leftOut.noProperties };
  const odd = Object.keys(properties).find((name) => !ARGUMENT.test(name));
  if (odd !== undefined) return { refused: serverTexts.leftOut.argumentName(JSON.stringify(odd.slice(0, 80))) };
  const kept = Object.entries(completed).filter(([key]) => !NOT_AT_THE_TOP.has(key));
  const parameters = { ...Object.fromEntries(kept), properties };
  const bytes = Buffer.byteLength(JSON.stringify(parameters));
  if (bytes > MAX_BYTES) return { refused: serverTexts.leftOut.tooLarge(bytes, MAX_BYTES) };
  // It came out of JSON, so it is nothing else.
  return { parameters: parameters as JsonObject };
}

/**
 * A schema as an object with its arguments at the top (FC-323): a missing `type` is added, a `$ref` into its own definitions is followed,
 * and the arguments of `anyOf`, `oneOf` and `allOf` are put beside each other. null: it describes no object.
 */
function completeSchema(
  schema: Readonly<Record<string, unknown>>,
  depth = 0,
): Readonly<Record<string, unknown>> | null {
  const { $ref: ref, ...own } = schema;
  const definition = typeof ref === "string" ? definitionOf(schema, ref) : {};
  if (definition === null || depth > 4) return null;
  const { $defs, definitions } = schema;
  const shared = { ...($defs === undefined ? {} : { $defs }), ...(definitions === undefined ? {} : { definitions }) };
  const whole = typeof ref === "string" ? { ...definition, ...own } : schema;
  const branches = (["allOf", "anyOf", "oneOf"] as const).flatMap((key) =>
    (Array.isArray(whole[key]) ? whole[key] : []).flatMap((branch) => {
      const done = isObject(branch) ? completeSchema({ ...shared, ...branch }, depth + 1) : null;
      return done === null ? [] : [{ done, isSure: key === "allOf" }];
    }),
  );
  const isBare = whole.properties === undefined && branches.length === 0;
  if (whole.type !== "object" && (whole.type !== undefined || isBare)) {
    return depth > 0 && whole.type === undefined && Array.isArray(whole.required) ? { properties: {} } : null;
  }
  if (whole.properties !== undefined && !isObject(whole.properties)) return { ...whole, type: "object" };
  const properties = Object.assign({}, ...branches.map(({ done }) => done.properties), whole.properties ?? {});
  const required = [whole, ...branches.filter(({ isSure }) => isSure).map(({ done }) => done)].flatMap((one) =>
    Array.isArray(one.required) ? one.required : [],
  );
  return {
    ...whole,
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
  };
}

function definitionOf(
  schema: Readonly<Record<string, unknown>>,
  ref: string,
): Readonly<Record<string, unknown>> | null {
  const [, group = "", name = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(ref) ?? [];
  const definitions = schema[group];
  const found = isObject(definitions) ? definitions[name] : undefined;
  return isObject(found) ? found : null;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What models take as a tool's name; the strictest of them. */
const FITS = /^[A-Za-z0-9_-]{1,64}$/;
const MAX = 64;
const MARK = 8;

/**
 * The name a server's tool has for models (ST-42): `<server>__<tool>`. One that models would not take (over 64 characters, or
 * others than letters, digits, `_` and `-`) is cut and gets a mark made of the whole name, so that it stays the same whatever
 * else the server offers.
 */
export function mcpToolName(server: string, tool: string): string {
  const full = `${server}${SERVER_SEPARATOR}${tool}`;
  if (FITS.test(full)) return full;
  const mark = createHash("sha256").update(full).digest("hex").slice(0, MARK);
  return `${full.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, MAX - MARK - 1)}_${mark}`;
}

/** Below TN-17's 32 KiB, so that a long text is cut inside and the result stays readable JSON. */
const MAX_TEXT_BYTES = 28 * 1024;

/**
 * A server's answer as a tool result (ST-42, ST-43): its texts joined; what is not text is named with its type and size.
 * `mask` takes configured secrets out. A tool's own failure is an error the model can act on. Pure; takes any JSON.
 */
export function resultOf(answer: unknown, mask: (text: string) => string): ToolResult {
  if (!isObject(answer)) return toolError(serverTexts.unreadable);
  const blocks = Array.isArray(answer.content) ? answer.content : [];
  const structured = answer.structuredContent;
  const texts = blocks.map(blockText);
  // Servers should repeat it as a text; what differs from that is the part that models need most (FC-323).
  const isRepeated = structured === undefined || isSaidBy(texts, structured);
  const said = [...texts, ...(isRepeated ? [] : [JSON.stringify(structured)])].join("\n");
  const { text, truncated } = cutMiddle(escapeMarkers(mask(said)), MAX_TEXT_BYTES);
  if (answer.isError === true) return toolError(text === "" ? serverTexts.failed : text);
  return truncated ? { status: "ok", truncated, text } : { status: "ok", text };
}

/** As JSON, or as the one value it wraps. */
function isSaidBy(texts: readonly string[], structured: unknown): boolean {
  const values = isObject(structured) ? Object.values(structured) : [];
  if (values.length === 1 && values[0] === texts.join("\n")) return true;
  return texts.some((one) => isSameJson(one, structured));
}

function isSameJson(text: string, value: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), value);
  } catch {
    return false;
  }
}

function blockText(block: unknown): string {
  if (!isObject(block)) return serverTexts.unreadableBlock;
  switch (block.type) {
    case "text":
      return wordOf(block.text);
    case "image":
    case "audio":
      return serverTexts.media(block.type, wordOf(block.mimeType), base64Size(block.data));
    case "resource_link":
      return serverTexts.link(wordOf(block.uri), wordOf(block.mimeType));
    case "resource":
      return resourceText(isObject(block.resource) ? block.resource : {});
    default:
      return serverTexts.otherContent(wordOf(block.type).slice(0, 64) || "unknown");
  }
}

function resourceText(resource: Readonly<Record<string, unknown>>): string {
  const name = serverTexts.resource(wordOf(resource.uri));
  if (typeof resource.text === "string") return `[${name}]\n${resource.text}`;
  return serverTexts.blob(name, wordOf(resource.mimeType), base64Size(resource.blob));
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function base64Size(data: unknown): string {
  return `${Math.floor((wordOf(data).length * 3) / 4)} bytes`;
}
