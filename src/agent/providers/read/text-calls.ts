import type { Json, JsonObject } from "../../../core/json.ts";
import { isJsonObject } from "../../../core/json.ts";

export interface TextCall {
  readonly name: string;
  readonly args: JsonObject;
}

const BEGINNINGS = [
  "{",
  "[{",
  "```",
  "[TOOL_CALLS]",
  "<function=",
  "<tool_call",
  "<function_call",
  "<｜",
  "<|",
  "functools[",
];

/** Whether a text that still grows could become a call; such a beginning is not shown yet. */
export function maybeTextCall(text: string): boolean {
  const start = text.trimStart();
  return start === "" || BEGINNINGS.some((mark) => start.startsWith(mark) || mark.startsWith(start));
}

/**
 * FC-312: the calls that a text consists of, when it is nothing but calls of offered tools: bare or fenced JSON, `[TOOL_CALLS]`,
 * `<function=…>`, `<tool_call>`, DSML. null: it is a text.
 */
export function textCall(text: string, offered: readonly string[]): readonly TextCall[] | null {
  const body = text.trim();
  if (body === "" || !maybeTextCall(body)) return null;
  const calls = functionTags(body) ?? dsml(body) ?? jsonCalls(unwrapped(body));
  if (calls === null || calls.length === 0) return null;
  return calls.every(({ name }) => offered.includes(name)) ? calls : null;
}

function unwrapped(text: string): string {
  const fenced = /^```(?:json|tool_call|tool_code)?\s*\n([\s\S]*?)\n?```$/.exec(text);
  const tagged = /^<(tool_call|function_call)>\s*([\s\S]*?)\s*(?:<\/\1>)?$/.exec(text);
  const marked = /^(?:\[TOOL_CALLS\]|functools)\s*([\s\S]*)$/.exec(text);
  return (fenced?.[1] ?? tagged?.[2] ?? marked?.[1] ?? text).trim();
}

function jsonCalls(text: string): readonly TextCall[] | null {
  const several = text.split(/<\/tool_call>\s*<tool_call>/);
  if (several.length > 1) return all(several.map((one) => jsonCalls(one.trim())?.[0] ?? null));
  // Mistral's newer form: name[ARGS]{…} or name{…}.
  const named = /^([\w.-]+)\s*(?:\[ARGS\])?\s*(\{[\s\S]*\})$/.exec(text);
  if (named !== null) return all([callOf({ name: named[1] ?? "", arguments: parsed(named[2] ?? "") ?? null })]);
  const value = parsed(text);
  if (value === undefined) return null;
  return all((Array.isArray(value) ? (value as readonly Json[]) : [value]).map(callOf));
}

function callOf(value: Json): TextCall | null {
  if (!isJsonObject(value)) return null;
  const inner = isJsonObject(value.function) ? value.function : value;
  const name = inner.name ?? inner.tool ?? inner.tool_name;
  const given = inner.arguments ?? inner.parameters ?? inner.args ?? inner.input;
  const args = typeof given === "string" ? parsed(given) : given;
  return typeof name === "string" && isJsonObject(args) ? { name, args } : null;
}

function functionTags(text: string): readonly TextCall[] | null {
  const inner = unwrapped(text);
  if (!inner.startsWith("<function=")) return null;
  const found = [...inner.matchAll(/<function=([\w.-]+)>?([\s\S]*?)<\/function>/g)];
  const rest = inner.replace(/<function=([\w.-]+)>?([\s\S]*?)<\/function>/g, "").trim();
  if (found.length === 0 || rest !== "") return null;
  return all(
    found.map(([, name = "", body = ""]) => {
      const parameters = [...body.matchAll(/<parameter=([\w.-]+)>\s*([\s\S]*?)\s*<\/parameter>/g)];
      if (parameters.length === 0)
        return callOf({ name, arguments: body.trim() === "" ? {} : (parsed(body.trim()) ?? null) });
      return {
        name,
        args: Object.fromEntries(parameters.map(([, key = "", value = ""]) => [key, parsedScalar(value)])),
      };
    }),
  );
}

/** DeepSeek's markup: `<｜DSML｜invoke name="…"><｜DSML｜parameter name="…" string="true">…`. */
function dsml(text: string): readonly TextCall[] | null {
  if (!/^<[｜|]DSML[｜|]/.test(text)) return null;
  const invokes = [...text.matchAll(/<[｜|]DSML[｜|]invoke name="([\w.-]+)">([\s\S]*?)<\/[｜|]DSML[｜|]invoke>/g)];
  return all(
    invokes.map(([, name = "", body = ""]) => {
      const found = body.matchAll(
        /<[｜|]DSML[｜|]parameter name="([\w.-]+)"([^>]*)>([\s\S]*?)<\/[｜|]DSML[｜|]parameter>/g,
      );
      const args = [...found].map(([, key = "", how = "", value = ""]): [string, Json] => [
        key,
        how.includes('string="true"') ? value : parsedScalar(value),
      ]);
      return { name, args: Object.fromEntries(args) };
    }),
  );
}

function all(calls: readonly (TextCall | null)[]): readonly TextCall[] | null {
  const found = calls.filter((call) => call !== null);
  return found.length === calls.length ? found : null;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function parsedScalar(text: string): Json {
  const value = parsed(text);
  return value === undefined ? text : value;
}
