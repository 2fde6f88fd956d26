import { describe, expect, it } from "vitest";
import { sanitise } from "../../../src/core/text/sanitise.ts";
import { createStreamSanitiser } from "../../../src/core/text/stream-sanitiser.ts";

/** What a stream of single characters shows after each of them, and at its end. */
function streamed(text: string): { readonly shown: readonly string[]; readonly end: string } {
  const stream = createStreamSanitiser();
  const shown = [...text].map((char) => stream.push(char));
  return { shown, end: stream.end() };
}

describe("FC-212: an answer that speaks of tags is read whole", () => {
  it.each([
    "Qwen wraps its reasoning in a <think> tag. You can switch it off with /no_think.",
    "It opens with <think> and ends with </think>.",
    "Models close it with </think>, others never do.",
    "Use the (<thinking>) tag, then write.",
    "Mistral writes [THINK] instead, Kimi ◁think▷ at times.",
  ])("FC-212: %j", (text) => {
    const closed = /<think> and ends with <\/think>/.test(text);
    // A pair is a block wherever it stands: nothing tells it from reasoning.
    const expected = closed ? "It opens with ." : text;
    expect(sanitise(text).text).toBe(expected);
    expect(streamed(text).end).toBe(expected);
  });

  it.each([
    ["<think>SECRET and no end", ""],
    ["Hello.\n<think> SECRET and no end", "Hello."],
    ["Hello. <think>SECRET and no end", "Hello."],
    ["Hello <think>SECRET", "Hello"],
  ])("FC-212: %j is reasoning", (text, visible) => {
    expect(sanitise(text).text).toBe(visible);
    expect(streamed(text).shown.join("")).not.toContain("SECR");
  });
});

describe("FC-312: inner talk of every known form is removed", () => {
  const forms: readonly (readonly [string, string])[] = [
    ["DeepSeek, Qwen", "<think>SECRET</think>"],
    ["Claude's old tag", "<thinking>SECRET</thinking>"],
    ["analysis", "<analysis>SECRET</analysis>"],
    ["Seed", "<seed:think>SECRET</seed:think>"],
    ["Mistral", "[THINK]SECRET[/THINK]"],
    ["Kimi", "◁think▷SECRET◁/think▷"],
    ["OpenThinker", "<|begin_of_thought|>SECRET<|end_of_thought|>"],
    ["Cohere", "<|START_THINKING|>SECRET<|END_THINKING|>"],
    ["Apertus", "<|inner_prefix|>SECRET<|inner_suffix|>"],
    ["Gemma", "<|channel>thought\nSECRET<channel|>"],
    ["gpt-oss", "<|channel|>analysis<|message|>SECRET<|end|><|start|>assistant<|channel|>final<|message|>"],
    ["gpt-oss with a call", "<|channel|>commentary to=functions.read <|constrain|>json<|message|>SECRET<|call|>"],
    ["gpt-oss without an end", "<|channel|>analysis<|message|>SECRET<|channel|>final<|message|>"],
    ["gpt-oss without its tokens", "analysisThe SECRETassistantfinal"],
  ];

  it.each(forms)("FC-312: %s, whole and streamed", (_name, talk) => {
    for (const text of [`${talk}The answer`, `${talk}\n\nThe answer`]) {
      expect(sanitise(text).text).toBe("The answer");
      const { shown, end } = streamed(text);
      expect(shown.filter((one) => /SECR|think|channel|analysis|assistant|message/i.test(one))).toEqual([]);
      expect(shown.at(-1)).toBe("The answer");
      expect(end).toBe("The answer");
    }
  });

  it.each(forms)("FC-312: %s, cut off, shows nothing of it", (_name, talk) => {
    const at = talk.indexOf("SECRET") + 6;
    expect(sanitise(talk.slice(0, at)).text).toBe("");
  });

  it.each([
    ["My thoughts.</think>The answer", "The answer"],
    ["My thoughts\n\nin two parts\n</think>\n\nThe answer", "The answer"],
    ["SECRET[/THINK]The answer", "The answer"],
    ["SECRET◁/think▷The answer", "The answer"],
    ["The answer.\n</think>", "The answer."],
    ["<think>a</think> b</think>The answer", "The answer"],
  ])("FC-312: a closer without an opener ends inner talk, when something follows: %j", (text, visible) => {
    expect(sanitise(text)).toEqual({ text: visible, changed: true });
    const { shown, end } = streamed(text);
    expect(shown.at(-1)).toBe(visible);
    expect(end).toBe(visible);
  });

  it.each([
    "analysis of the market",
    "Analysis: fine",
    "assistantfinal is a word",
    "<|end of line",
    "a [think] b",
    "◁ left",
  ])("FC-312: %j stays", (text) => {
    expect(sanitise(text)).toEqual({ text, changed: false });
    expect(streamed(text).end).toBe(text);
  });

  it("FC-312: a preamble of gpt-oss that calls nothing is for people", () => {
    expect(sanitise("<|channel|>commentary<|message|>I look it up.<|end|>").text).toBe("I look it up.");
  });
});
