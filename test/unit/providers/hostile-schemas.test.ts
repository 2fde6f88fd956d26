import { expect, it } from "vitest";
import { argumentSchema } from "../../../src/agent/providers/wire/tool-schema.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { watchLoop } from "../../support/loop-watch.ts";

const DIALECTS = ["chat", "openai", "anthropic", "google", "simple"] as const;
const letters = [..."abcdefghij"];
const each = (inner: JsonObject): JsonObject => Object.fromEntries(letters.map((name) => [name, inner]));

/** Each grows to a million million parts when its references are followed twelve deep. */
const GROWING: readonly (readonly [string, JsonObject])[] = [
  ["properties that are the whole", { type: "object", properties: each({ $ref: "#/" }) }],
  [
    "properties that are a part",
    {
      type: "object",
      properties: each({ $ref: "#/$defs/x" }),
      $defs: { x: { properties: each({ $ref: "#/$defs/x" }) } },
    },
  ],
  [
    "branches",
    {
      type: "object",
      properties: { a: { $ref: "#/$defs/x" } },
      $defs: { x: { anyOf: letters.map(() => ({ $ref: "#/$defs/x" })) } },
    },
  ],
  [
    "both",
    {
      type: "object",
      properties: each({ $ref: "#/$defs/x" }),
      $defs: { x: { allOf: [{ $ref: "#/$defs/x" }, { $ref: "#/$defs/x" }], properties: each({ $ref: "#/$defs/x" }) } },
    },
  ],
];

it.each(GROWING)("FC-402: a schema that refers to itself stays small and is offered at once: %s", (_name, schema) => {
  for (const dialect of DIALECTS) {
    using watch = watchLoop();
    const offered = argumentSchema(schema, dialect);
    expect(offered).toMatchObject({ type: "object" });
    expect(JSON.stringify(offered).length).toBeLessThan(64 * 1024);
    expect(watch.longestMs()).toBeLessThan(50);
  }
});

it.each(["#/%", "#/%E0%A4%A", "#/$defs/%ff", "#/__proto__", "#/a/b/c", "#", "https://example.com/x", "#/\ud800"])(
  "FC-402: the reference %s takes no tool away",
  (reference) => {
    for (const dialect of DIALECTS) {
      const offered = argumentSchema({ type: "object", properties: { a: { $ref: reference } } }, dialect);
      expect(Object.keys(offered.properties ?? {})).toEqual(["a"]);
    }
  },
);

it("FC-402: an escaped reference is still found", () => {
  const schema = {
    type: "object",
    properties: { a: { $ref: "#/$defs/b%20c~1d" } },
    $defs: { "b c/d": { type: "number" } },
  };
  expect(argumentSchema(schema, "openai").properties).toEqual({ a: { type: "number" } });
});
