import { describe, expect, it } from "vitest";
import { sanitise } from "../../../src/core/text/sanitise.ts";
import { cpuMs } from "../../support/cpu-time.ts";

describe("ST-6: what a model leaks is removed", () => {
  it.each([
    ["<think>a</think>b", "b"],
    ["<THINK>a</Think >b", "b"],
    ["x\n\n<thinking>\nlong\n\nstory</thinking>\n\ny", "x\n\ny"],
    ["<thought>a</thought>b", "b"],
    ["<reasoning effort='high'>a</reasoning>b", "b"],
    ["before\n\n<think>never closed\n\nmore", "before"],
    ["before <think", "before"],
    ["a</think>b", "b"],
    ["<think>a<think>b</think>c</think>d", "d"],
    ["<think>I write <think> tags</think>answer", "answer"],
    ["<think>about `</think>` tags</think>answer", "answer"],
    ["<think>it's `odd</think>Answer: use `foo`", "Answer: use `foo`"],
  ])("ST-6: reasoning in %j leaves %j", (text, visible) => {
    expect(sanitise(text)).toEqual({ text: visible, changed: true });
  });

  it.each([
    ["<relevant-memories>\n- a\n</relevant-memories>\n\nHi", "Hi"],
    ["<relevant_memories>a</relevant_memories>Hi", "Hi"],
    ['x <tool_call>{"name":"a"}</tool_call> y', "x y"],
    ['x <tool_call>{"name":"a', "x"],
    ["x <tool_calls><tool_call>a</tool_call></tool_calls> y", "x y"],
    ["<function_call>a</function_call>ok", "ok"],
    ['<function_calls>\n<invoke name="a">\n<parameter name="b">c</parameter>\n</invoke>\n</function_calls>\nok', "ok"],
    ['<invoke name="a"><parameter name="b">cut', ""],
    ['done\n<invoke name="a', "done"],
    ["done <tool_ca", "done"],
    ["done <|im_en", "done"],
    ["</minimax:tool_call> ok", "ok"],
    ['<minimax:tool_call><invoke name="a"></invoke></minimax:tool_call>ok', "ok"],
    ['<invoke name="a"/>ok', "ok"],
    ["<|im_start|>hi<|im_end|>", "hi"],
    ["hi<｜end▁of▁sentence｜>", "hi"],
    ["a<｜tool▁calls▁begin｜>function<｜tool▁sep｜>read<｜tool▁calls▁end｜>b", "ab"],
  ])("ST-6: markup in %j leaves %j", (text, visible) => {
    expect(sanitise(text)).toEqual({ text: visible, changed: true });
  });

  it.each([
    ['[Tool Call: read (ID: t1)]\nArguments: {"p": "a]b", "q": [1, {"r": 2}]}\n\nDone', "Done"],
    ["x [Tool Result for ID t1] y", "x y"],
    ['[Tool Result for ID t1]\n{"ok": true}\nDone', "Done"],
    ["[Historical context: a [nested] call] rest", "rest"],
    ["[Tool Call: cut off", ""],
    ["[Tool Call: cut off\n\nThe answer", "The answer"],
    ["[Inter-session message from=agent:a:main agent=a channel=web isUser=false] hello", "hello"],
  ])("ST-6, FC-110: scaffolding in %j leaves %j", (text, visible) => {
    expect(sanitise(text)).toEqual({ text: visible, changed: true });
  });
});

describe("ST-6: innocent text stays", () => {
  it.each([
    "if a < b and c > d then x <= y",
    "List<String> and a<b>c and <div> and 1 <2",
    "xs <| f |> g",
    "[Tool Call](https://example.org) and [tool results are good]",
    "`<think>` opens, `</think>` closes",
    "``a ` <think>b</think>`` is code",
    "```xml\n<tool_call>\n{}\n</tool_call>\n```\nthat is it",
    "~~~\n<think>\n~~~",
    "1. like this:\n\n   ```\n   <|im_start|>\n   ```\n",
    "> ```\n> <think>\n> ```\n",
    "````md\n```\n<think>\n```\n````",
    "thinking aloud, I <3 this",
  ])("ST-6: %j is unchanged", (text) => {
    expect(sanitise(text)).toEqual({ text, changed: false });
  });

  it.each([
    ["```\n<think>secret", "```"],
    ["```\n<think>a</think>b\n``` not a closer", "```\nb\n``` not a closer"],
    ["an ` alone <think>a</think> b", "an ` alone b"],
    ["a ` b\n\n<think>x</think> c ` d", "a ` b\n\nc ` d"],
    ["- `a\n- <think>x</think> b`", "- `a\n- b`"],
    ["\\`<think>a</think>` b", "\\`` b"],
  ])("ST-6: an open fence or span exempts nothing: %j", (text, visible) => {
    expect(sanitise(text)).toEqual({ text: visible, changed: true });
  });
});

describe("ST-6: hostile text", () => {
  it("ST-6: removing a block cannot build a new one", () => {
    expect(sanitise("<thi<think>x</think>nk>secret</think>z").text).not.toContain("secret");
    const nested = `${"<thi".repeat(50)}<think></think>${"nk>".repeat(50)}`;
    expect(sanitise(nested).text).not.toContain("<think>");
    expect(sanitise(sanitise(nested).text).changed).toBe(false);
  });

  const fences = Array.from({ length: 1400 }, (_, index) => "`".repeat(1402 - index)).join("a\n");
  it.each([
    ["<", "<"],
    ["nested openers", "<think>"],
    ["closers", "</think>"],
    ["pairs", "<think>x</think> "],
    ["half tags", "<think "],
    ["control tokens", "<|a|>"],
    ["half control tokens", "<|a"],
    ["brackets", "[Tool Call:"],
    ["open strings", '[Tool Call: {"'],
    ["backticks", "`a``b```"],
    ["open fences", "```a\n"],
    ["fences of all sizes", fences],
    ["spans with tags", "`<think>` "],
    ["name spaces", "<minimax:"],
  ])("ST-6: takes linear time on a megabyte of %s", (_name, unit) => {
    const text = `<think>x</think>${unit.repeat(Math.ceil(1_000_000 / unit.length))}`;
    let result = sanitise("");
    const spent = cpuMs(() => {
      result = sanitise(text);
    });
    // Measured at 5 to 250 ms; quadratic work would take minutes.
    expect(spent).toBeLessThan(5_000);
    expect(sanitise(result.text).changed).toBe(false);
  });
});
