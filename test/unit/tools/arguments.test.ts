import { describe, expect, it, test } from "vitest";
import { z } from "zod";
import type { Json, JsonObject } from "../../../src/core/json.ts";
import { callTexts } from "../../../src/core/texts/agent/tool-calls.ts";
import { TOOLS } from "../../../src/tools/registry.ts";
import { defineTool, readArguments, type ToolDefinition } from "../../../src/tools/tool.ts";

interface Parameter {
  readonly type?: string;
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly maximum?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly pattern?: string;
  readonly items?: Parameter;
  readonly anyOf?: readonly Parameter[];
}
interface Parameters {
  readonly properties: Readonly<Record<string, Parameter>>;
  readonly required?: readonly string[];
}

/** Any value that fits a parameter. */
function fitting(parameter: Parameter): Json {
  const [one] = parameter.anyOf ?? [parameter];
  if (one === undefined) throw new Error("no form");
  if (one.const !== undefined) return one.const;
  if (one.enum !== undefined) return one.enum[0] ?? null;
  switch (one.type) {
    case "string":
      return "text";
    case "integer":
    case "number":
      return Math.max(1, one.minimum ?? 1);
    case "boolean":
      return true;
    case "array":
      return [fitting(one.items ?? {})];
    default:
      throw new Error(`unknown type ${one.type}`);
  }
}

const parametersOf = (tool: ToolDefinition) => tool.parameters() as unknown as Parameters;

/** The least arguments that fit. */
function least(tool: ToolDefinition): JsonObject {
  const { properties, required = [] } = parametersOf(tool);
  const args = Object.fromEntries(required.map((name) => [name, fitting(properties[name] ?? {})]));
  // These two want one of several optional ones.
  return tool.name === "message" ? { ...args, text: "x" } : tool.name === "update_goal" ? { ...args, note: "x" } : args;
}

function read(tool: ToolDefinition, args: JsonObject) {
  const { parsed, adjusted } = { parsed: null, adjusted: [], ...readArguments(tool, args) };
  return { parsed: parsed as Readonly<Record<string, unknown>> | null, adjusted };
}

const refusal = (tool: ToolDefinition, args: JsonObject) => {
  const answer = readArguments(tool, args);
  return "refused" in answer ? answer.refused : null;
};

const rows = TOOLS.flatMap((tool) =>
  Object.entries(parametersOf(tool).properties).map(([name, parameter]) => ({
    tool,
    name,
    parameter,
    title: `${tool.name} ${name}`,
  })),
);

describe.each(rows)("$title", ({ tool, name, parameter }) => {
  const value = fitting(parameter);

  it("FC-233: a misspelt parameter is refused with the nearest name and what was not done", () => {
    const misspelt = `${name.slice(0, 1)}${name}`;
    const answer = refusal(tool, { ...least(tool), [misspelt]: value });
    expect(answer?.error).toBe(callTexts.unknownParameters(tool.name, [misspelt]));
    expect(answer?.error).toContain("nothing was done");
    expect(answer?.hint).toBe(callTexts.didYouMean([name]));
  });

  it("FC-233: another spelling of the name is taken", () => {
    const other = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const { [name]: _, ...rest } = least(tool);
    expect(read(tool, { ...rest, [other]: value }).parsed?.[name]).toEqual(
      read(tool, { ...rest, [name]: value }).parsed?.[name],
    );
  });

  it("FC-233: weak forms of the value are taken", () => {
    const strict = read(tool, { ...least(tool), [name]: value }).parsed?.[name];
    expect(strict).toEqual(value);
    const weak: Json = Array.isArray(value) ? (value[0] ?? null) : typeof value === "string" ? value : String(value);
    const got = read(tool, { ...least(tool), [name]: weak }).parsed?.[name];
    // A page's offset reads its own text.
    expect(name === "offset" ? Number(got) : got).toEqual(value);
  });
});

const limited = rows.filter(
  ({ parameter }) => (parameter.maximum ?? Number.MAX_SAFE_INTEGER) < Number.MAX_SAFE_INTEGER,
);

it.each(limited)(
  "FC-233: $title above its limit becomes the limit, and a note says so",
  ({ tool, name, parameter }) => {
    const maximum = parameter.maximum ?? 0;
    for (const over of [maximum + 1, String(maximum + 1)]) {
      const { parsed, adjusted } = read(tool, { ...least(tool), [name]: over });
      expect(parsed?.[name]).toBe(maximum);
      expect(adjusted).toEqual([callTexts.lowered(name, maximum + 1, maximum)]);
    }
  },
);

describe.each(TOOLS.map((tool) => ({ tool, title: tool.name })))("$title", ({ tool }) => {
  it("FC-233: every synonym means one of its parameters, and the name wins when both are given", () => {
    const { synonyms = {}, implied = {}, refused = {} } = tool.otherNames ?? {};
    const { properties } = parametersOf(tool);
    for (const [other, name] of Object.entries(synonyms)) {
      expect(Object.keys(properties)).not.toContain(other);
      const value = fitting(properties[name] ?? {});
      const { [name]: _, ...rest } = least(tool);
      expect(read(tool, { ...rest, [other]: value }).parsed?.[name]).toEqual(value);
      expect(refusal(tool, { ...rest, [name]: value, [other]: value })?.error).toContain(JSON.stringify(other));
    }
    for (const [name, value] of Object.entries(implied)) {
      expect(refusal(tool, { ...least(tool), [name]: value })).toBeNull();
      expect(refusal(tool, { ...least(tool), [name]: `${value}x` })?.hint).toBe(refused[name]);
    }
  });
});

test("FC-233: the examples of the case", () => {
  const [list, spawn] = ["sessions_list", "sessions_spawn"].map((name) => TOOLS.find((tool) => tool.name === name));
  if (list === undefined || spawn === undefined) throw new Error("no such tool");
  expect(read(list, { kind: "group" }).parsed?.kinds).toEqual(["group"]);
  expect(read(spawn, { task: "x", timeoutSeconds: 5 }).parsed?.runTimeoutSeconds).toBe(5);
  expect(refusal(spawn, { task: "x", attachments: [], lightContext: true })?.error).toBe(
    callTexts.unknownParameters("sessions_spawn", ["attachments", "lightContext"]),
  );
  expect(refusal(spawn, { task: "x", lightContext: null })).toBeNull();
});

test("FC-314: weak forms of arguments are taken where nothing is lost, and nothing else is", () => {
  const probe = (input: z.ZodObject) =>
    defineTool({
      name: "probe",
      description: "",
      group: "runtime",
      profiles: [],
      subagents: "all",
      input,
      output: z.object({}),
      execute: async () => ({ result: { status: "ok" } }),
    });
  const tool = probe(
    z.object({
      text: z.string().optional(),
      limit: z.int().optional(),
      flag: z.boolean().optional(),
      list: z.array(z.string()).optional(),
      inner: z.object({ n: z.number() }).optional(),
    }),
  );
  const weak = { text: null, limit: "5", flag: "true", list: "x", inner: '{"n": "7"}' };
  expect(read(tool, weak).parsed).toEqual({ limit: 5, flag: true, list: ["x"], inner: { n: 7 } });
  expect(read(tool, { limit: "", list: '["a"]' }).parsed).toEqual({ list: ["a"] });
  expect(refusal(tool, { limit: "five" })?.error).toContain("limit");
  expect(refusal(probe(z.object({ text: z.string() })), { text: null })?.error).toContain("text");
});
