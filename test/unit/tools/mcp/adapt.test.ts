import { expect, it } from "vitest";
import { parametersOf, resultOf } from "../../../../src/tools/mcp/adapt.ts";

const text = { type: "string" };
const same = (value: string): string => value;

it.each([
  ["properties without a type", { properties: { a: text } }, { type: "object", properties: { a: text } }],
  [
    "a reference at the top",
    { $ref: "#/$defs/Input", $defs: { Input: { type: "object", properties: { a: text }, required: ["a"] } } },
    { type: "object", properties: { a: text }, required: ["a"] },
  ],
  [
    "alternatives at the top",
    { type: "object", anyOf: [{ properties: { a: text }, required: ["a"] }, { properties: { b: text } }] },
    { type: "object", properties: { a: text, b: text } },
  ],
  [
    "parts that all apply",
    { allOf: [{ properties: { a: text }, required: ["a"] }], properties: { b: text } },
    { type: "object", properties: { a: text, b: text }, required: ["a"] },
  ],
])("FC-323, ST-42: a schema with %s keeps its arguments", (_, schema, wanted) => {
  expect(parametersOf(schema)).toMatchObject({ parameters: wanted });
});

it.each([
  [{ type: "string" }],
  [{}],
  [{ $ref: "#/$defs/Missing" }],
  [{ $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } }],
])("ST-42: a schema that describes no object is refused: %j", (schema) => {
  expect(parametersOf(schema)).toHaveProperty("refused");
});

it("FC-323: structured content is given beside a text that says something else, and once when the text repeats it", () => {
  const structuredContent = { city: "Oslo", degrees: 4 };
  const result = (said: string) => resultOf({ content: [{ type: "text", text: said }], structuredContent }, same);
  expect(result("It is cold.")).toEqual({ status: "ok", text: `It is cold.\n${JSON.stringify(structuredContent)}` });
  const wrapped = { content: [{ type: "text", text: "all of it" }], structuredContent: { content: "all of it" } };
  expect(resultOf(wrapped, same)).toEqual({ status: "ok", text: "all of it" });
  expect(result('{ "degrees": 4, "city": "Oslo" }')).toEqual({
    status: "ok",
    text: '{ "degrees": 4, "city": "Oslo" }',
  });
});
