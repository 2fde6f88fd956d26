import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../../src/core/json.ts";
import type { ModelMessage, ModelPart } from "../../src/core/model.ts";
import { goesOn, picture, tiff } from "./conversations.ts";
import { startVendors, type Vendors } from "./talk.ts";
import { VENDORS, type Vendor } from "./vendors.ts";

let vendors: Vendors;
beforeAll(async () => {
  vendors = await startVendors();
});
afterAll(() => vendors.close());

const words = fc.constantFrom(
  "hello",
  "",
  "\n\n",
  " ",
  "\ud83d",
  "\u0000x",
  "<think>a</think>",
  "[TOOL_CALLS]",
  "ü😀",
  "x".repeat(3_000),
);
const ids = fc.constantFrom("c1", "c2", "functions.look_up:0", "", "call_".padEnd(300, "x"), "äöü", "toolu_01");
const names = fc.constantFrom("look_up", "write_down", "no such tool", "", "a.b", "x".repeat(100));
const results: fc.Arbitrary<Json> = fc.oneof(
  words,
  fc.constant(null),
  fc.constant([1]),
  fc.constant({ status: "ok", text: "\ud83d" }),
  fc.constant("y".repeat(300_000)),
);
const makers = fc.constantFrom<Json>(
  null,
  { maker: "another", signature: "eHh4" },
  { anthropic: { signature: "eHh4" } },
  { google: { thoughtSignature: "eHh4" } },
);
const data = makers.map(
  (value) => value as ModelPart extends infer P ? (P extends { providerData: infer D } ? D : never) : never,
);

const text = words.map((value): ModelPart => ({ type: "text", text: value }));
const reasoning = fc
  .record({ text: words, providerData: data })
  .map((part): ModelPart => ({ type: "reasoning", ...part }));
const call = fc
  .record({
    callId: ids,
    name: names,
    args: fc.constantFrom<Json>({}, { what: "x" }, "{broken", null, [1]),
    providerData: data,
  })
  .map((part): ModelPart => ({ type: "tool_call", ...part }));
const result = fc
  .record({ callId: ids, name: names, result: results, isError: fc.boolean() })
  .map((part): ModelPart => ({ type: "tool_result", ...part }));

/** Rows as no turn would store them: any order of roles, broken pairs, odd ids and names, other models' reasoning. */
const message: fc.Arbitrary<ModelMessage> = fc.oneof(
  fc
    .array(fc.oneof(text, fc.constant(picture), fc.constant(tiff)), { maxLength: 3 })
    .map((parts): ModelMessage => ({ role: "user", parts })),
  fc
    .array(fc.oneof(text, reasoning, call), { maxLength: 4 })
    .map((parts): ModelMessage => ({ role: "assistant", parts })),
  fc.array(result, { maxLength: 3 }).map((parts): ModelMessage => ({ role: "tool", parts })),
);

describe("FC-301 no stored item makes a session unusable", () => {
  test.each(VENDORS.map((vendor): [string, Vendor] => [vendor.name, vendor]))(
    "FC-301: behind %s the next plain message is answered, whatever was stored before",
    async (_name, vendor) => {
      await fc.assert(
        fc.asyncProperty(fc.array(message, { maxLength: 8 }), async (before) => {
          vendors.forget();
          await goesOn(vendors.talk(vendor, before));
        }),
        { numRuns: 25 },
      );
    },
  );
});

describe("FC-302 /model from any to any", () => {
  const kinds = ["OpenAI", "Anthropic", "Google", "Mistral", "DeepSeek", "OpenRouter"].map(
    (name) => VENDORS.find((vendor) => vendor.name === name) as Vendor,
  );
  const pairs = kinds.flatMap((from) =>
    kinds.filter((to) => to !== from).map((to): [string, string, Vendor, Vendor] => [from.name, to.name, from, to]),
  );

  test.each(pairs)(
    "FC-302, FC-303: from %s to %s in the middle of a tool loop, and back",
    async (_from, _to, from, to) => {
      vendors.forget();
      const thinking = { text: `${from.name} thinks.`, signature: "c2lnbmVkQnlGcm9t" };
      const first = vendors.talk(from);
      first.user("Look it up.");
      await first.answers({ thinking, calls: [{ id: `${from.name}:call/1`, name: "look_up", args: {} }] });
      first.results(() => ({ status: "ok" }));
      const second = vendors.talk(to, first.messages);
      await second.answers({ deltas: ["Found it."] });
      await goesOn(second);
      expect(JSON.stringify(second.bodies)).not.toMatch(/thinks\.|c2lnbmVkQnlGcm9t/);
      await goesOn(vendors.talk(from, second.messages));
    },
  );
});

describe("FC-315 the beginning of two turns in a row", () => {
  test.each(VENDORS.map((vendor): [string, Vendor] => [vendor.name, vendor]))(
    "FC-315: with %s it is byte for byte the same up to the newest message",
    async (_name, vendor) => {
      vendors.forget();
      const talk = vendors.talk(vendor);
      talk.user("Look it up.", picture);
      await talk.answers({
        thinking: { text: "Hm.", signature: "c2lnbmVk" },
        call: { id: "look_up_1", name: "look_up", args: {} },
      });
      talk.results(() => ({ status: "ok" }));
      await talk.answers({ deltas: ["Well."] });
      await goesOn(talk);
      await goesOn(talk);
      const [before = [], after = []] = talk.bodies.slice(-2).map((body) => prefixOf(body));
      expect(after.slice(0, before.length)).toEqual(before);
      expect(after.length).toBeGreaterThan(before.length);
    },
  );
});

/** What a provider's cache compares: instructions and tools, then the messages, without the marks themselves. */
function prefixOf(body: Readonly<Record<string, unknown>>): readonly string[] {
  const bare = JSON.parse(
    JSON.stringify(body, (key, value: unknown) => (key === "cache_control" ? undefined : value)),
  ) as Record<string, unknown>;
  const list = (bare.messages ?? bare.contents ?? bare.input) as readonly unknown[];
  return [JSON.stringify([bare.system, bare.systemInstruction, bare.tools]), ...list.map((one) => JSON.stringify(one))];
}
