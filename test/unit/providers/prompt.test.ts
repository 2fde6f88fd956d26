import { describe, expect, test } from "vitest";
import { callIdsOf, createAnswer } from "../../../src/agent/providers/answer.ts";
import { type PromptStyle, toPrompt, toTools } from "../../../src/agent/providers/prompt.ts";
import type { ModelMessage } from "../../../src/core/model.ts";
import { assistant, called, returned, tool, user } from "./runner-kit.ts";

const STYLE: PromptStyle = { namespace: "acme", unsignedReasoning: "drop", cacheMark: null };

function prompt(messages: readonly ModelMessage[], style: PromptStyle = STYLE, system = "") {
  return toPrompt({ system, messages }, style);
}

describe("OP-3 prompt", () => {
  test("OP-3: system text comes first, an empty one not at all", () => {
    expect(prompt([user("a")], STYLE, "be kind")[0]).toEqual({ role: "system", content: "be kind" });
    expect(prompt([user("a")])).toEqual([{ role: "user", content: [{ type: "text", text: "a" }] }]);
  });

  test("IN-12: an image goes along as bytes with its type", () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const message: ModelMessage = {
      role: "user",
      parts: [
        { type: "text", text: "look" },
        { type: "image", mime: "image/png", bytes },
      ],
    };
    expect(prompt([message])[0]?.content).toEqual([
      { type: "text", text: "look" },
      { type: "file", mediaType: "image/png", data: { type: "data", data: bytes } },
    ]);
  });

  test("OP-3: empty texts and messages of nothing are left out, as servers refuse them", () => {
    const thought: ModelMessage = {
      role: "assistant",
      parts: [{ type: "reasoning", text: "hm", providerData: { acme: { s: 1 } } }],
    };
    expect(prompt([user(""), thought, assistant(""), user("a")])).toEqual([
      { role: "user", content: [{ type: "text", text: "a" }] },
    ]);
  });

  test("OP-3: a provider gets its own signatures back and no other's", () => {
    const call = {
      type: "tool_call" as const,
      callId: "c",
      name: "t",
      args: {},
      providerData: { other: { sig: "b" } },
    };
    const message: ModelMessage = {
      role: "assistant",
      parts: [
        { type: "reasoning", text: "mine", providerData: { acme: { sig: "a" } } },
        { type: "reasoning", text: "foreign", providerData: { other: { sig: "b" } } },
        { type: "reasoning", text: "unsigned", providerData: null },
        call,
      ],
    };
    expect(prompt([user("a"), message, returned("c", "t", {})])[1]?.content).toEqual([
      { type: "reasoning", text: "mine", providerOptions: { acme: { sig: "a" } } },
      { type: "tool-call", toolCallId: "c", toolName: "t", input: {} },
    ]);
  });

  test("TN-7: arguments that are no object are wrapped, and an odd call id stays paired with its result", () => {
    const broken: ModelMessage = {
      role: "assistant",
      parts: [{ type: "tool_call", callId: "a b/ü", name: "t", args: "{x", providerData: null }],
    };
    const [, call, result] = prompt([user("a"), broken, returned("a b/ü", "t", { status: "error" })]);
    expect(call?.content).toEqual([
      { type: "tool-call", toolCallId: "a_b__", toolName: "t", input: { malformed_arguments: "{x" } },
    ]);
    expect(result?.content).toMatchObject([
      { toolCallId: "a_b__", output: { type: "json", value: { status: "error" } } },
    ]);
  });

  test("TN-7: results say whether they are errors", () => {
    const failed: ModelMessage = {
      role: "tool",
      parts: [{ type: "tool_result", callId: "c", name: "t", result: "no", isError: true }],
    };
    expect(prompt([failed])[0]?.content).toMatchObject([{ output: { type: "error-text", value: "no" } }]);
  });

  test("OP-3: cache marks stand on the system text and the newest message only", () => {
    const mark = { acme: { cache: true } };
    const marked = prompt([user("a"), assistant("b"), user("c")], { ...STYLE, cacheMark: mark }, "s");
    expect(marked.map((message) => message.providerOptions ?? null)).toEqual([mark, null, null, mark]);
  });

  test("TP-5: tools keep their schema; strict is left out unless it is switched off", () => {
    expect(toTools([tool("t")])[0]).not.toHaveProperty("strict");
    expect(toTools([tool("t")], { strict: false })[0]).toMatchObject({ name: "t", strict: false });
  });
});

describe("OP-3 answer", () => {
  const usage = {
    inputTokens: { total: 5, noCache: 5, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
  };

  test("OP-3: parts keep the order in which they began, and signatures in pieces are put together", () => {
    const answer = createAnswer(new Set());
    answer.accept({ type: "reasoning-start", id: "1", providerMetadata: { acme: { itemId: "i", enc: null } } });
    answer.accept({ type: "text-start", id: "2" });
    answer.accept({ type: "reasoning-delta", id: "1", delta: "hm" });
    answer.accept({ type: "text-delta", id: "2", delta: "hi" });
    answer.accept({ type: "reasoning-end", id: "1", providerMetadata: { acme: { enc: "E" } } });
    answer.accept({ type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage });
    expect(answer.done()).toEqual({
      type: "done",
      parts: [
        { type: "reasoning", text: "hm", providerData: { acme: { itemId: "i", enc: "E" } } },
        { type: "text", text: "hi" },
      ],
      usage: { input: 5, output: 0, cached: 0 },
      finish: "stop",
    });
  });

  test("TN-7: no arguments are an empty object", () => {
    const answer = createAnswer(new Set());
    answer.accept({ type: "tool-call", toolCallId: "c", toolName: "t", input: "" });
    answer.accept({ type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage });
    expect(answer.done()).toMatchObject({ finish: "tool_calls", parts: [{ args: {} }] });
  });

  test("TN-6: there is no answer without a finish of the model's own", () => {
    const answer = createAnswer(new Set());
    expect(answer.done()).toBeNull();
    answer.accept({ type: "finish", finishReason: { unified: "other", raw: undefined }, usage });
    expect(answer.done()).toBeNull();
  });

  test("SP-2: two calls of one answer never share an id", () => {
    const answer = createAnswer(callIdsOf([called("c0", "t", {})]));
    for (const id of ["c0", "c1", "c1", ""]) {
      answer.accept({ type: "tool-call", toolCallId: id, toolName: "t", input: "{}" });
    }
    answer.accept({ type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage });
    const ids = answer.done()?.parts.map((part) => (part.type === "tool_call" ? part.callId : "")) ?? [];
    expect(new Set(ids).size).toBe(4);
    expect(ids[1]).toBe("c1");
    expect(ids).not.toContain("c0");
  });
});
