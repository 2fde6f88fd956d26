import { z } from "zod";
import type { ToolDefinition } from "../../src/tools/tool.ts";
import { row } from "./table.ts";

/** The part of JSON Schema that tools' arguments and results are written in. */
const property = z.looseObject({
  type: z.string().optional(),
  description: z.string().optional(),
  default: z.json().optional(),
  enum: z.array(z.json()).optional(),
  const: z.json().optional(),
  minimum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  pattern: z.string().optional(),
  get items() {
    return property.optional();
  },
  get anyOf() {
    return z.array(property).optional();
  },
});
type Property = z.output<typeof property>;

const schema = z.looseObject({
  properties: z.record(z.string(), property).default({}),
  required: z.array(z.string()).default([]),
});

const INTRODUCTION = `# Tools

Generated from the definitions in \`src/tools/registry.ts\` by \`node docs/generate/write.ts\`.

Which of them a turn has is decided by the tool policy (\`tools\` in the configuration); \`/tools verbose\` shows the decision for a conversation, and which layer took the others away. A tool that is not offered is refused when it is called all the same.

Every result is JSON with \`status\`. What fails or is refused has \`status: "error"\` or \`"forbidden"\`, \`error\` in words a model can act on, and often \`hint\` with what to do instead. Arguments that do not fit are answered with the name of the field that is wrong, and nothing is done. A session that is hidden and one that does not exist give the same error.`;

/** The page of all tools, from the registry alone (TP-5). */
export function toolsPage(tools: readonly ToolDefinition[]): string {
  return `${[INTRODUCTION, ...tools.map(section)].join("\n\n")}\n`;
}

function section(tool: ToolDefinition): string {
  const input = schema.parse(tool.parameters());
  const output = schema.parse(z.toJSONSchema(tool.output, { io: "output" }));
  const parameters = Object.entries(input.properties).map(([name, one]) =>
    row([
      `\`${name}\``,
      typeOf(one),
      input.required.includes(name)
        ? "required"
        : one.default === undefined
          ? ""
          : `\`${JSON.stringify(one.default)}\``,
      one.description ?? "",
    ]),
  );
  const results = Object.entries(output.properties).map(([name, one]) =>
    row([`\`${name}\``, typeOf(one), output.required.includes(name) ? "always" : "", one.description ?? ""]),
  );
  return [
    `## ${tool.name}`,
    "",
    `${tool.description} Group \`group:${tool.group}\`.`,
    ...(parameters.length === 0
      ? ["", "It takes no parameters."]
      : ["", row(["parameter", "type", "default", "what"]), row(["---", "---", "---", "---"]), ...parameters]),
    ...(results.length === 0
      ? []
      : ["", row(["result", "type", "given", "what"]), row(["---", "---", "---", "---"]), ...results]),
  ].join("\n");
}

function typeOf(one: Property): string {
  if (one.enum !== undefined) return one.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  if (one.const !== undefined) return `\`${JSON.stringify(one.const)}\``;
  if (one.anyOf !== undefined) return one.anyOf.map(typeOf).join(" or ");
  if (one.type === "array") return `list of ${one.items === undefined ? "anything" : typeOf(one.items)}`;
  const range = rangeOf(one);
  return `${one.type ?? "anything"}${range === "" ? "" : ` (${range})`}`;
}

function rangeOf(one: Property): string {
  const parts = [
    one.minimum === undefined || one.minimum === Number.MIN_SAFE_INTEGER ? "" : `≥ ${one.minimum}`,
    one.exclusiveMinimum === undefined ? "" : `> ${one.exclusiveMinimum}`,
    // Every whole number has this limit, and the other way round; they say nothing.
    one.maximum === undefined || one.maximum === Number.MAX_SAFE_INTEGER ? "" : `≤ ${one.maximum}`,
    one.minLength === undefined || one.minLength === 1 ? "" : `at least ${one.minLength} characters`,
    one.minLength === 1 ? "not empty" : "",
    one.maxLength === undefined ? "" : `at most ${one.maxLength} characters`,
    one.pattern === undefined ? "" : `\`${one.pattern}\``,
  ];
  return parts.filter((part) => part !== "").join(", ");
}
