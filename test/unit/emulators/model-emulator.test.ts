import { fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, test } from "vitest";
import {
  answer,
  gate,
  type ModelEmulator,
  say,
  startModelEmulator,
  text,
  toolCall,
} from "../../support/emulators/model/index.ts";

let model: ModelEmulator;
afterEach(() => model?.close());

async function post(url: string, body: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}/chat/completions`, { method: "POST", body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

const person = { role: "user", content: "hi" };
const caller = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "c1", type: "function", function: { name: "t", arguments: "{}" } }],
};
const result = { role: "tool", tool_call_id: "c1", content: "{}" };

describe("model emulator: it refuses what OpenAI refuses", () => {
  test.each([
    ["no messages", { model: "m", messages: [] }, /non-empty array/],
    ["no model", { messages: [person] }, /model parameter/],
    ["an unknown role", { model: "m", messages: [{ role: "bot", content: "x" }] }, /role/],
    ["a user message without content", { model: "m", messages: [{ role: "user", content: null }] }, /content/],
    ["a tool result without a call", { model: "m", messages: [person, result] }, /preceding message with 'tool_calls'/],
    ["a call without its result", { model: "m", messages: [person, caller, person] }, /missing: c1/],
    ["a call as the last message", { model: "m", messages: [person, caller] }, /without a tool message: c1/],
    ["a result twice", { model: "m", messages: [person, caller, result, result] }, /preceding message/],
    ["an empty tool list", { model: "m", messages: [person], tools: [] }, /non-empty array/],
    [
      "a tool without an object schema",
      { model: "m", messages: [person], tools: [{ type: "function", function: { name: "t" } }] },
      /object schema/,
    ],
  ])("OP-3: refuses %s", async (_name, body, words) => {
    model = await startModelEmulator();
    const { status, text: answered } = await post(model.url, body);
    expect(status).toBe(400);
    expect(answered).toMatch(words);
    expect(model.requests[0]?.fault).toMatch(words);
  });

  test("OP-3: accepts a paired conversation", async () => {
    model = await startModelEmulator();
    expect((await post(model.url, { model: "m", messages: [person, caller, result, person] })).status).toBe(200);
  });

  test("OP-3: says so when the script has no reply left", async () => {
    model = await startModelEmulator({ script: [say("one")] });
    await post(model.url, { model: "m", messages: [person] });
    const second = await post(model.url, { model: "m", messages: [person] });
    expect(second).toMatchObject({
      status: 400,
      text: expect.stringContaining("the script has 1 replies; this is request 2"),
    });
    model.script([say("again")]);
    expect((await post(model.url, { model: "m", messages: [person] })).text).toContain("again");
  });
});

describe("model emulator: replies", () => {
  test("OP-3: a non-streaming request gets one JSON answer", async () => {
    model = await startModelEmulator({ script: [answer(text("a"), text("b"), toolCall("t", { x: 1 }))] });
    const { text: body } = await post(model.url, { model: "m", messages: [person] });
    expect(JSON.parse(body)).toMatchObject({
      choices: [
        {
          message: { content: "ab", tool_calls: [{ id: "call_0_0", function: { name: "t", arguments: '{"x":1}' } }] },
          finish_reason: "tool_calls",
        },
      ],
    });
  });

  test("TN-5: a gate holds the rest of a stream back, and a test can wait for a request", async () => {
    const hold = gate();
    model = await startModelEmulator({ script: [answer(text("first"), hold.step, text("second"))] });
    const response = await fetch(`${model.url}/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "m", stream: true, messages: [person] }),
    });
    const request = await model.waitForRequest(1);
    expect(request.messages).toEqual([person]);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const begin = await reader?.read();
    expect(begin?.value).toContain("first");
    expect(begin?.value).not.toContain("second");
    hold.open();
    let rest = "";
    for (let chunk = await reader?.read(); chunk?.done === false; chunk = await reader?.read()) rest += chunk.value;
    expect(rest).toMatch(/second.*\[DONE\]\n\n$/s);
    expect(await request.ended).toEqual({ byClient: false });
    await expect(model.waitForRequest(2, 20)).rejects.toThrow("only 1 of 2 model requests came");
  });
});

describe("model emulator as a process", () => {
  test("OP-3: prints its address, answers by a built-in script, changes it by IPC and stops with its parent", async () => {
    const path = new URL("../../support/emulators/model/serve.ts", import.meta.url);
    const child = fork(path, ["--script", "echo"], { stdio: ["ignore", "pipe", "inherit", "ipc"] });
    if (child.stdout === null) throw new Error("no output");
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const { url } = JSON.parse(line) as { url: string };
    expect((await post(url, { model: "m", messages: [person] })).text).toContain("echo: hi");
    child.send({ type: "script", name: "tool" });
    expect((await once(child, "message"))[0]).toEqual({ type: "ok" });
    expect((await post(url, { model: "m", messages: [person] })).text).toContain("session_status");
    child.send({ type: "count" });
    expect((await once(child, "message"))[0]).toEqual({ type: "count", requests: 2 });
    child.disconnect();
    expect((await once(child, "exit"))[0]).toBe(0);
  });
});
