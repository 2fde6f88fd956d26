import { z } from "zod";
import type { ToolDefinition } from "../../src/tools/tool.ts";
import { row } from "./table.ts";
import { CHAT, OLD, TEAM, type ToolExample, type ToolExamples, type ToolFailure } from "./tool-example.ts";

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

const FOLDER = "tools";

const INTRODUCTION = `# Tools

Generated from the definitions in \`src/tools/registry.ts\` and the examples in \`docs/generate/tool-examples.ts\` by \`node docs/generate/write.ts\`.

Which of them a turn has is decided by the tool policy (\`tools\` in the configuration); \`/tools verbose\` shows the decision for a conversation, and which layer took the others away. A tool that is not offered is refused when it is called all the same.`;

const ERRORS = `## Errors

Every result is JSON with \`status\`. What fails or is refused has \`status: "error"\` or \`"forbidden"\`, \`error\` in words a model can act on, and often \`hint\` with what to do instead. A session that is hidden and one that does not exist give the same error. Each tool's page lists its own; every tool may also give these:`;

const COMMON: readonly (readonly [string, string])[] = [
  ["The name is not a tool of this turn.", 'there is no tool "…" for you here'],
  ["The arguments are not JSON.", "the arguments of … are not valid JSON"],
  [
    "A parameter is unknown. The hint names the nearest one, and nothing is done.",
    '… has no parameter "…"; nothing was done',
  ],
  ["An argument is invalid. The error names it, and nothing is done.", "invalid argument …: …"],
  ["The agent was removed from the configuration meanwhile.", 'agent "…" is not configured any more'],
  ["Switchyard itself failed; the log says why.", "… failed for an internal reason"],
];

const SCENE = `## The examples

Every example and error on the tools' pages is run by \`test/unit/tools/documented-examples.test.ts\`: the results are what the tools give. An error that takes more than this scene names the test that shows it in \`docs/generate/examples/\`. Ids count up from 1, the time stands still, \`…\` stands for what is left out. They are called from the private chat \`${CHAT}\` in a turn that the operator asked for, where not said otherwise. The chat was given a file \`plan.pdf\`. There is the group \`${TEAM}\` with the label \`release team\` and a topic, an archived group \`${OLD}\`, and two chats with the label \`family\`. \`tools.sessions.visibility\` is \`agent\`, \`subagents.maxSpawnDepth\` 2, \`maxChildrenPerAgent\` 3, and \`allowAgents\` names \`coder\`.`;

/** The page that lists the tools, and says what is true of all (TP-5). */
export function toolsPage(tools: readonly ToolDefinition[]): string {
  const list = [
    row(["tool", "group", "what"]),
    row(["---", "---", "---"]),
    ...tools.map(({ name, group, description }) =>
      row([`[${name}](${FOLDER}/${name}.md)`, `\`group:${group}\``, description.split(/[.:;](?: |$)/)[0] ?? ""]),
    ),
  ];
  const errors = [
    row(["status", "when", "error"]),
    row(["---", "---", "---"]),
    ...COMMON.map(([when, error]) => row(["`error`", when, error])),
  ];
  return `${[INTRODUCTION, list.join("\n"), ERRORS, errors.join("\n"), SCENE].join("\n\n")}\n`;
}

/** One tool's page, from its definition and its examples (TP-5). */
export function toolPage(tool: ToolDefinition, shown: ToolExamples): string {
  const parts = [definition(tool), ...shown.examples.map((one) => exampleText(tool.name, one))];
  return `${[...parts, errorsText(shown.errors)].join("\n\n")}\n`;
}

function exampleText(tool: string, example: ToolExample): string {
  const { title, args, result, after = [], answer } = example;
  const before = after.map((call) => `After \`${call.tool}\` with \`${JSON.stringify(call.args)}\`:`);
  const meanwhile = answer === undefined ? [] : [`Meanwhile, the other session replies “${answer}”.`];
  return [
    `## Example: ${title}`,
    "",
    ...[...before, ...meanwhile].flatMap((line) => [line, ""]),
    "```json",
    JSON.stringify({ tool, args }, null, 2),
    "```",
    "",
    "gives",
    "",
    "```json",
    JSON.stringify(result, null, 2),
    "```",
  ].join("\n");
}

function errorsText(errors: readonly ToolFailure[]): string {
  const rows = errors.map(({ status, when, error }) => row([`\`${status}\``, when, error]));
  const own =
    rows.length === 0
      ? ["It has no errors of its own."]
      : [row(["status", "when", "error"]), row(["---", "---", "---"]), ...rows];
  return ["## Errors", "", ...own, "", "[Every tool's errors](../tools.md#errors) come on top."].join("\n");
}

function definition(tool: ToolDefinition): string {
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
    `# ${tool.name}`,
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
