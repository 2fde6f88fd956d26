import { expect, test } from "vitest";
import { createAnswer } from "../../../src/agent/providers/read/answer.ts";
import { textCall } from "../../../src/agent/providers/read/text-calls.ts";

const CALL = [{ name: "look_up", args: { what: "tides" } }];

test.each([
  ["bare JSON", '{"name": "look_up", "arguments": {"what": "tides"}}'],
  ["parameters", '{"name": "look_up", "parameters": {"what": "tides"}}'],
  ["arguments as text", '{"name": "look_up", "arguments": "{\\"what\\": \\"tides\\"}"}'],
  ["OpenAI's form", '{"type": "function", "function": {"name": "look_up", "arguments": {"what": "tides"}}}'],
  ["a fence", '```json\n{"name": "look_up", "arguments": {"what": "tides"}}\n```'],
  ["a list", '[{"name": "look_up", "arguments": {"what": "tides"}}]'],
  ["Mistral", '[TOOL_CALLS] [{"name": "look_up", "arguments": {"what": "tides"}}]'],
  ["Mistral's newer form", '[TOOL_CALLS]look_up[ARGS]{"what": "tides"}'],
  ["Hermes", '<tool_call>\n{"name": "look_up", "arguments": {"what": "tides"}}\n</tool_call>'],
  ["Llama", '<function=look_up>{"what": "tides"}</function>'],
  ["Qwen", "<tool_call>\n<function=look_up>\n<parameter=what>\ntides\n</parameter>\n</function>\n</tool_call>"],
  [
    "DeepSeek",
    '<｜DSML｜function_calls><｜DSML｜invoke name="look_up"><｜DSML｜parameter name="what" string="true">tides</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>',
  ],
])("FC-312: a text that is nothing but a call is one: %s", (_name, text) => {
  expect(textCall(text, ["look_up"])).toEqual(CALL);
  expect(textCall(text, ["another"])).toBeNull();
});

test.each([
  'Use {"name": "look_up", "arguments": {}} for that.',
  '{"name": "Ann", "age": 7}',
  '```json\n{"name": "look_up", "arguments": {}}\n```\nThat is how a call looks.',
  "",
])("FC-312: anything else is a text: %s", (text) => {
  expect(textCall(text, ["look_up", "Ann"])).toBeNull();
});

test("FC-312: nothing of a call in words is shown while it grows, and a text that only begins like one is shown whole", () => {
  const answerOf = (...deltas: readonly string[]) => {
    const estimate = () => ({ input: 1, output: 1, cached: 0 });
    const answer = createAnswer({ usedIds: new Set(), maker: "me", textCalls: ["look_up"], estimate });
    for (const delta of deltas) answer.text(delta);
    answer.finish("stop");
    const shown = answer.take().flatMap((event) => (event.type === "text" ? [event.delta] : []));
    return { shown, done: answer.done() };
  };
  const called = answerOf("<tool", '_call>{"name": "look_up", ', '"arguments": {}}</tool_call>');
  expect(called.shown).toEqual([]);
  expect(called.done).toMatchObject({
    finish: "tool_calls",
    parts: [{ type: "tool_call", name: "look_up", args: {} }],
  });
  expect(answerOf("<to", "day> is a ", "tag").shown).toEqual(["<today> is a ", "tag"]);
  // Held back to its end, and then given as the text it is.
  expect(answerOf('{"a": ', "1}").done?.parts).toEqual([{ type: "text", text: '{"a": 1}' }]);
});
