import { describe, expect, test } from "vitest";
import { jsonText, pictureHash, strictConversation } from "../../../src/agent/providers/wire/conversation.ts";
import type { Form } from "../../../src/agent/providers/wire/protocol.ts";
import { argumentSchema } from "../../../src/agent/providers/wire/tool-schema.ts";
import type { ModelMessage, ModelPart } from "../../../src/core/model.ts";
import { QUIRKS, type Quirks } from "../../../src/core/quirks.ts";
import { continueRequest, earlierLeftOut } from "../../../src/core/texts/agent/wire.ts";
import { assistant, called, returned, user } from "./runner-kit.ts";

const PICTURES = { types: ["image/png"], maxBytes: 100 };
const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0, 0]);

function strict(messages: readonly ModelMessage[], quirks: Partial<Quirks> = {}, form: Partial<Form> = {}) {
  const whole: Form = { quirks: { ...QUIRKS, ...quirks }, maker: "me", refusedPictures: new Set(), ...form };
  return strictConversation(messages, whole, PICTURES);
}

function texts(messages: readonly ModelMessage[]): readonly string[] {
  return strict(messages).map(
    ({ role, blocks }) => `${role}: ${blocks.map((block) => ("text" in block ? block.text : block.type)).join(" | ")}`,
  );
}

function withParts(role: ModelMessage["role"], ...parts: readonly ModelPart[]): ModelMessage {
  return { role, parts };
}

describe("FC-301 the strict form of a conversation", () => {
  test("FC-301: neighbours of one role are joined, blank texts and messages of nothing are left out", () => {
    const thought: ModelPart = { type: "reasoning", text: "hm", providerData: { maker: "me", s: 1 } };
    expect(
      texts([
        user("a"),
        user("\n\n"),
        user("b"),
        withParts("assistant", thought),
        assistant(" "),
        assistant("c"),
        user("d"),
      ]),
    ).toEqual(["user: a | b", "assistant: c", "user: d"]);
  });

  test("FC-301: nothing stands between calls and their results, and a call without one gets one", () => {
    expect(
      strict([
        user("a"),
        called("c1", "t", {}),
        user("meanwhile"),
        returned("c1", "t", { ok: 1 }),
        called("c2", "u", {}),
        user("z"),
      ]),
    ).toMatchObject([
      { role: "user" },
      { role: "assistant", blocks: [{ type: "call", id: "c1" }] },
      { role: "results", blocks: [{ id: "c1", result: { ok: 1 }, isError: false }] },
      { role: "user", blocks: [{ text: "meanwhile" }] },
      { role: "assistant", blocks: [{ type: "call", id: "c2" }] },
      { role: "results", blocks: [{ id: "c2", result: { status: "interrupted" }, isError: true }] },
      { role: "user", blocks: [{ text: "z" }] },
    ]);
  });

  test("FC-301: a result without its call becomes words, and a conversation begins and ends with a user's", () => {
    expect(texts([returned("gone", "t", { found: 7 }), assistant("b")])).toEqual([
      'user: [System: an earlier result of t: {"found":7}]',
      "assistant: b",
      `user: ${continueRequest}`,
    ]);
    expect(texts([assistant("b"), user("c")])[0]).toBe(`user: ${earlierLeftOut}`);
  });

  test("FC-304: the results of parallel calls are one passage", () => {
    const call = (callId: string): ModelPart => ({
      type: "tool_call",
      callId,
      name: "t",
      args: {},
      providerData: null,
    });
    const passages = strict([
      user("a"),
      withParts("assistant", call("1"), call("2")),
      returned("2", "t", {}),
      returned("1", "t", {}),
    ]);
    expect(passages.map(({ role, blocks }) => [role, blocks.length])).toEqual([
      ["user", 1],
      ["assistant", 2],
      ["results", 2],
    ]);
  });

  test("FC-302: reasoning goes back to the very model that made it and to no other", () => {
    const reasoning = (maker: string): ModelPart => ({
      type: "reasoning",
      text: maker,
      providerData: { maker, signature: "s" },
    });
    const old: ModelPart = { type: "reasoning", text: "old", providerData: { anthropic: { signature: "s" } } };
    const message = withParts("assistant", reasoning("me"), reasoning("you"), old, { type: "text", text: "t" });
    expect(strict([user("a"), message, user("b")])[1]?.blocks).toEqual([
      { type: "reasoning", text: "me", data: { signature: "s" } },
      { type: "text", text: "t" },
    ]);
  });

  test("FC-303: an id goes back unchanged to its giver and as nine letters and digits to others", () => {
    const long = `call_${"x".repeat(300)}`;
    const of = (maker: string | null): ModelMessage =>
      withParts("assistant", {
        type: "tool_call",
        callId: long,
        name: "t",
        args: {},
        providerData: maker === null ? null : { maker },
      });
    const idsOf = (message: ModelMessage, quirks: Partial<Quirks> = {}) =>
      strict([user("a"), message, returned(long, "t", {})], quirks)
        .slice(1)
        .flatMap(({ blocks }) => blocks.map((block) => ("id" in block ? block.id : "")));
    expect(idsOf(of("me"))).toEqual([long, long]);
    const [foreign, back] = idsOf(of("you"));
    expect(foreign).toMatch(/^[a-z0-9]{9}$/);
    expect(back).toBe(foreign);
    expect(idsOf(of("me"), { callIds: "nine" })).toEqual([foreign, foreign]);
    expect(idsOf(of(null))).toEqual([foreign, foreign]);
  });

  test("FC-303: two calls with one id stay two pairs", () => {
    const passages = strict([
      user("a"),
      called("c", "t", {}),
      returned("c", "t", { n: 1 }),
      called("c", "t", {}),
      returned("c", "t", { n: 2 }),
    ]);
    const ids = passages.flatMap(({ blocks }) => blocks.flatMap((block) => ("id" in block ? [block.id] : [])));
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).toBe(ids[3]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  test("FC-201: a picture goes by what its bytes say; what the server would refuse becomes a line of text", () => {
    const image = (bytes: Uint8Array, mime = "image/jpeg"): ModelPart => ({ type: "image", mime, bytes });
    const large = Uint8Array.from([...PNG, ...new Array(100).fill(0)]);
    const html = Uint8Array.from(Buffer.from("<html><body>not a picture"));
    const message = withParts("user", image(PNG), image(large), image(html, "image/png"));
    expect(strict([message])[0]?.blocks.map((block) => block.type)).toEqual(["picture", "text", "text"]);
    expect(strict([message])[0]?.blocks[0]).toMatchObject({ mime: "image/png" });
    expect(strict([message], { pictures: false })[0]?.blocks.map((block) => block.type)).toEqual([
      "text",
      "text",
      "text",
    ]);
    const refused = { refusedPictures: new Set([pictureHash(PNG)]) };
    expect(strict([message], {}, refused)[0]?.blocks.map((block) => block.type)).toEqual(["text", "text", "text"]);
  });

  test("TN-7: arguments that are no object are wrapped, odd names of tools are made plain", () => {
    const broken = withParts("assistant", {
      type: "tool_call",
      callId: "c",
      name: "sessions.list now",
      args: "{x",
      providerData: null,
    });
    expect(strict([user("a"), broken])[1]?.blocks).toMatchObject([
      { name: "sessions_list_now", args: { malformed_arguments: "{x" } },
    ]);
  });

  test("FC-301: half a surrogate pair is written as the replacement character at every depth", () => {
    const text = jsonText({ a: ["\ud83d", { b: "ok 😀 \\ud83d" }] });
    expect(JSON.parse(text)).toEqual({ a: ["\ufffd", { b: "ok 😀 \\ud83d" }] });
    expect(text).not.toMatch(/[^\\]\\ud83d/);
  });
});

describe("FC-307 tool schemas", () => {
  test("FC-307: arrays get items, references are resolved, branches at the top are offered together", () => {
    const schema = {
      $defs: { id: { type: "string", maxLength: 2000, pattern: "^a" } },
      anyOf: [
        { properties: { id: { $ref: "#/$defs/id" }, many: { type: "array" } }, required: ["id"] },
        { properties: { name: { type: "string" } }, required: ["name"] },
      ],
    };
    expect(argumentSchema(schema, "chat")).toEqual({
      type: "object",
      properties: {
        id: { type: "string" },
        many: { type: "array", items: { type: "string" } },
        name: { type: "string" },
      },
    });
  });

  test("FC-307: Google gets its subset: no additionalProperties, nullable instead of a list of types, texts in enums", () => {
    const schema = {
      type: "object",
      additionalProperties: false,
      properties: {
        a: { type: ["string", "null"], format: "uri" },
        b: { const: "x" },
        c: { anyOf: [{ type: "number" }, { type: "null" }] },
        d: { enum: [1, 2], type: "integer" },
        e: {},
      },
      required: ["a", "gone"],
    };
    expect(argumentSchema(schema, "google")).toEqual({
      type: "object",
      properties: {
        a: { type: "string", nullable: true },
        b: { type: "string", enum: ["x"] },
        c: { type: "number" },
        d: { type: "integer" },
        e: { type: "string" },
      },
      required: ["a"],
    });
  });

  test("FC-307: a schema that refers to itself ends", () => {
    const schema = {
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
      $ref: "#/$defs/node",
    };
    expect(argumentSchema(schema, "chat")).toMatchObject({ type: "object", properties: { next: { type: "object" } } });
  });
});
