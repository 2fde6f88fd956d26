import { afterEach, describe, expect, test } from "vitest";
import type { ModelMessage } from "../../../src/core/model.ts";
import {
  answer,
  call,
  gate,
  type ModelEmulator,
  type ModelReply,
  type ModelScript,
  rawToolCall,
  reasoning,
  say,
  startModelEmulator,
  text,
  toolCall,
  withFinish,
  withUsage,
} from "../../support/emulators/model/index.ts";
import {
  assistant,
  called,
  collect,
  doneOf,
  failureOf,
  requestOf,
  returned,
  runnerFor,
  tool,
  user,
} from "./runner-kit.ts";

let model: ModelEmulator;
afterEach(() => model.close());

async function start(script: ModelScript): Promise<ModelEmulator> {
  model = await startModelEmulator({ script, apiKey: "test-key-000" });
  return model;
}

describe("OP-3 openai-compatible", () => {
  test("OP-3: streams text deltas as they come and ends with the whole text, usage and finish", async () => {
    const hold = gate();
    const { url } = await start([
      withUsage(answer(text("Hello "), hold.step, text("there.")), { input: 11, output: 3, cached: 4 }),
    ]);
    const { runner } = runnerFor("openai-compatible", url);
    const events = runner.step(requestOf(), new AbortController().signal)[Symbol.asyncIterator]();
    expect((await events.next()).value).toEqual({ type: "text", delta: "Hello " });
    hold.open();
    expect((await events.next()).value).toEqual({ type: "text", delta: "there." });
    expect((await events.next()).value).toEqual({
      type: "done",
      parts: [{ type: "text", text: "Hello there." }],
      usage: { input: 11, output: 3, cached: 4 },
      finish: "stop",
    });
    expect((await events.next()).done).toBe(true);
  });

  test("OP-3: sends system, history, paired tool results and tools in the chat completions form", async () => {
    const { url } = await start([say("ok")]);
    const { step } = runnerFor("openai-compatible", url);
    await step({
      messages: [
        user("one"),
        called("c1", "sessions_list", { limit: 2 }),
        returned("c1", "sessions_list", { status: "ok" }),
        assistant("two"),
        user("three"),
      ],
      tools: [tool("sessions_list")],
      thinking: "low",
    });
    const [request] = model.requests;
    expect(request?.fault).toBeNull();
    expect(request?.messages).toEqual([
      { role: "system", content: "You are a test." },
      { role: "user", content: "one" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "sessions_list", arguments: '{"limit":2}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: '{"status":"ok"}' },
      { role: "assistant", content: "two" },
      { role: "user", content: "three" },
    ]);
    expect(request?.tools.map((entry) => entry.function.name)).toEqual(["sessions_list"]);
    expect(request?.body).toMatchObject({ model: "m-1", stream: true, reasoning_effort: "low" });
  });

  test("OP-3: joins the streamed fragments of several tool calls and keeps text and reasoning beside them", async () => {
    const { url } = await start([
      answer(
        reasoning("Let me "),
        reasoning("think."),
        text("Working."),
        toolCall("sessions_spawn", { task: 'a "quoted" täsk' }, { fragments: 7 }),
        toolCall("sessions_yield", {}, { id: "own-id" }),
      ),
    ]);
    const events = await runnerFor("openai-compatible", url).step({ tools: [tool("sessions_spawn")] });
    expect(events.filter((event) => event.type === "reasoning").map((event) => event.delta)).toEqual([
      "Let me ",
      "think.",
    ]);
    expect(doneOf(events)).toMatchObject({
      finish: "tool_calls",
      parts: [
        { type: "reasoning", text: "Let me think." },
        { type: "text", text: "Working." },
        { type: "tool_call", callId: "call_0_0", name: "sessions_spawn", args: { task: 'a "quoted" täsk' } },
        { type: "tool_call", callId: "own-id", name: "sessions_yield", args: {} },
      ],
    });
  });

  test("TN-7: passes arguments that are not JSON on as the raw text, and the next request is still valid", async () => {
    const { url } = await start([answer(rawToolCall("sessions_spawn", '{"task": "x')), say("sorry")]);
    const { step } = runnerFor("openai-compatible", url);
    const { parts } = doneOf(await step({ tools: [tool("sessions_spawn")] }));
    expect(parts).toMatchObject([{ type: "tool_call", name: "sessions_spawn", args: '{"task": "x' }]);
    const back = { role: "assistant" as const, parts: parts.filter((part) => part.type !== "attachment") };
    const events = await step({
      messages: [user("hello"), back, returned("call_0_0", "sessions_spawn", { status: "error" })],
      tools: [tool("sessions_spawn")],
    });
    expect(doneOf(events).parts).toEqual([{ type: "text", text: "sorry" }]);
    expect(JSON.parse(model.requests[1]?.messages[2]?.tool_calls?.[0]?.function.arguments ?? "")).toEqual({
      malformed_arguments: '{"task": "x',
    });
  });

  test("TN-7: passes an unknown tool name on, the loop answers it", async () => {
    const { url } = await start([call("no_such_tool", {})]);
    const events = await runnerFor("openai-compatible", url).step({ tools: [tool("sessions_spawn")] });
    expect(doneOf(events).parts).toMatchObject([{ type: "tool_call", name: "no_such_tool" }]);
  });

  test("SP-2: a call id that the conversation already has is replaced, so that two calls never share a key", async () => {
    const { url } = await start(() => call("sessions_spawn", { task: "x" }, { id: "call_0" }));
    const { step } = runnerFor("openai-compatible", url);
    const events = await step({
      messages: [
        user("a"),
        called("call_0", "sessions_spawn", {}),
        returned("call_0", "sessions_spawn", {}),
        user("b"),
      ],
    });
    const [part] = doneOf(events).parts;
    expect(part).toMatchObject({ type: "tool_call", name: "sessions_spawn", args: { task: "x" } });
    expect(part).not.toMatchObject({ callId: "call_0" });
  });

  test("FC-302: sends reasoning back in the field it came in, within the tool loop only", async () => {
    const thinks = (name: string): ModelReply => answer(reasoning(`about ${name}`), toolCall(name, {}));
    const { url } = await start([thinks("one"), thinks("two"), say("ok")]);
    const { step } = runnerFor("openai-compatible", url);
    const partsOf = async (messages: readonly ModelMessage[]) =>
      doneOf(await step({ messages })).parts.filter((part) => part.type !== "attachment");
    const before: ModelMessage[] = [user("a"), { role: "assistant", parts: await partsOf([user("a")]) }];
    before.push(returned("call_0_0", "one", {}), assistant("b"), user("c"));
    before.push({ role: "assistant", parts: await partsOf(before) }, returned("call_1_0", "two", {}));
    await step({ messages: before });
    expect(model.requests[2]?.messages.map((message) => message.reasoning_content ?? null)).toEqual([
      null,
      null,
      null,
      null,
      null,
      null,
      "about two",
      null,
    ]);
  });

  test("OP-3: an answer that reached its length limit says so", async () => {
    const { url } = await start([withFinish(say("Hel"), "length")]);
    expect(doneOf(await runnerFor("openai-compatible", url).step()).finish).toBe("length");
  });

  test("OP-3: calls one after the other share one connection", async () => {
    await start(() => say("ok"));
    const { step } = runnerFor("openai-compatible", model.url);
    for (let round = 0; round < 5; round++) doneOf(await step());
    expect(model.requests).toHaveLength(5);
    expect(new Set(model.requests.map((request) => request.clientPort)).size).toBe(1);
  });

  test("TN-5: a consumer that leaves early ends the request", async () => {
    const hold = gate();
    const { url } = await start([answer(text("a"), hold.step, text("b"))]);
    for await (const event of runnerFor("openai-compatible", url).runner.step(
      requestOf(),
      new AbortController().signal,
    )) {
      expect(event).toEqual({ type: "text", delta: "a" });
      break;
    }
    const request = await model.waitForRequest(1);
    expect(await request.ended).toEqual({ byClient: true });
  });

  test("OP-3: a provider that is not configured is an unknown model, without any request", async () => {
    await start([]);
    const { runner } = runnerFor("openai-compatible", model.url);
    const request = requestOf({ model: { provider: "nope", model: "x" } });
    const error = failureOf(await collect(runner.step(request, new AbortController().signal)));
    expect(error.code).toBe("unknown_model");
    expect(model.requests).toHaveLength(0);
  });
});
