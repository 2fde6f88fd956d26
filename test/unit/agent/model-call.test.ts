import { expect, test } from "vitest";
import { callModel } from "../../../src/agent/model-call.ts";
import { ModelError, type ModelErrorCode } from "../../../src/core/errors.ts";
import type { FinishReason, ModelRequest, StepEvent } from "../../../src/core/model.ts";
import { silentLog } from "../../support/test-store.ts";

type Play =
  | { readonly text: string; readonly finish?: FinishReason }
  | { readonly code: ModelErrorCode; readonly retryAfterMs?: number };

/** One call over models that answer by name, one entry per request; what came of it, and who was asked. */
async function play(
  models: Readonly<Record<string, readonly Play[]>>,
  options: { readonly mayBeEmpty?: boolean } = {},
) {
  const asked: string[] = [];
  const requests: ModelRequest[] = [];
  const left = new Map(Object.entries(models).map(([name, plays]) => [name, [...plays]]));
  async function* step(request: ModelRequest): AsyncIterable<StepEvent> {
    asked.push(request.model.model);
    requests.push(request);
    const next = left.get(request.model.model)?.shift();
    if (next === undefined) throw new Error("asked too often");
    if ("code" in next) {
      yield { type: "failed", error: new ModelError(next.code, "no", { retryAfterMs: next.retryAfterMs ?? null }) };
      return;
    }
    yield {
      type: "done",
      parts: [{ type: "text", text: next.text }],
      usage: { input: 1, output: 1, cached: 0 },
      finish: next.finish ?? "stop",
    };
  }
  const result = await callModel({
    runner: { step, facts: () => ({ contextTokens: 1_000, images: false, price: null }) },
    models: Object.keys(models).map((model) => ({ provider: "p", model })),
    request: async (model) => ({ model, system: "", messages: [], tools: [], thinking: null }),
    signal: new AbortController().signal,
    slot: { released: (wait) => wait() },
    log: silentLog,
    onText: () => undefined,
    backoff: { delayMs: (_attempt, retryAfterMs) => retryAfterMs ?? 0 },
    ...options,
  }).catch((error: unknown) => error);
  return { result: result instanceof ModelError ? result.code : result, asked, requests };
}

test("FC-306: a wait of an hour goes to the fallback at once", async () => {
  const { asked, result } = await play({ a: [{ code: "rate_limited", retryAfterMs: 3_600_000 }], b: [{ text: "b" }] });
  expect(asked).toEqual(["a", "b"]);
  expect(result).toMatchObject({ parts: [{ text: "b" }] });
});

test("FC-310: an answer that cannot be read is asked for once more, not five times", async () => {
  const unreadable: Play = { code: "bad_response" };
  expect(await play({ a: [unreadable, unreadable] })).toMatchObject({ result: "bad_response", asked: ["a", "a"] });
});

test("FC-311: an empty answer is asked for once more with a nudge, then it is a failure; silence is the control word", async () => {
  const { asked, requests, result } = await play({ a: [{ text: " \n" }, { text: "well" }] });
  expect(asked).toEqual(["a", "a"]);
  expect(requests.map(({ messages }) => messages.length)).toEqual([0, 1]);
  expect(result).toMatchObject({ parts: [{ text: "well" }] });
  expect((await play({ a: [{ text: "" }, { text: "<think>hm</think>" }] })).result).toBe("no_answer");
  expect((await play({ a: [{ text: "NO_REPLY" }] })).asked).toEqual(["a"]);
  expect((await play({ a: [{ text: "" }] }, { mayBeEmpty: true })).asked).toEqual(["a"]);
});

test("FC-311: what a provider withholds goes to the fallback, and alone it is named", async () => {
  const withheld: Play = { text: "", finish: "filtered" };
  expect((await play({ a: [withheld], b: [{ text: "b" }] })).asked).toEqual(["a", "b"]);
  expect((await play({ a: [withheld] })).result).toBe("filtered");
});
