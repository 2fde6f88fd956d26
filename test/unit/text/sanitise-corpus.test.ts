import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { sanitise } from "../../../src/core/text/sanitise.ts";
import { createStreamSanitiser } from "../../../src/core/text/stream-sanitiser.ts";
import { cpuMs } from "../../support/cpu-time.ts";

function corpus<T extends z.ZodType>(name: string, one: T): z.output<T>[] {
  const text = readFileSync(new URL(`../../corpus/${name}.json`, import.meta.url), "utf8");
  return z.object({ about: z.string(), cases: z.array(one) }).parse(JSON.parse(text)).cases;
}

const leaked = corpus("leaked", z.object({ family: z.string(), text: z.string(), visible: z.string() }));
const innocent = corpus("innocent", z.string());

describe("ST-6: the corpus of leaked markup", () => {
  it.each(leaked)("ST-6: $family leaves what was meant to be read", ({ text, visible }) => {
    expect(sanitise(text)).toEqual({ text: visible, changed: true });
  });

  it.each(leaked)("ST-6: $family, cut off at any position, shows nothing of it", ({ text }) => {
    for (let at = 0; at <= text.length; at += 1) {
      const shown = sanitise(text.slice(0, at)).text;
      expect(shown).not.toMatch(/SECR|<[|｜]\w|[|｜]>|<\/?\s?think|tool_call|Tool Call:/i);
    }
  });

  it.each(leaked)("ST-6, FC-109: $family shows nothing of it in a stream of single characters", ({ text, visible }) => {
    const stream = createStreamSanitiser();
    for (const char of text) expect(stream.push(char)).not.toMatch(/SECR|im_|tool|think/i);
    expect(stream.end()).toBe(visible);
  });

  it.each(leaked)("ST-6: $family as an example in a closed fence stays", ({ text }) => {
    const example = `See:\n\n~~~~~\n${text}\n~~~~~\n\nThat was it.`;
    expect(sanitise(example)).toEqual({ text: example, changed: false });
  });

  it.each(leaked)("ST-6: $family in a fence that is never closed is no example", ({ text }) => {
    expect(sanitise(`See:\n\n~~~~~\n${text}`).text).not.toContain("SECRET");
  });
});

describe("ST-6: the corpus of innocent text", () => {
  it.each(innocent)("ST-6: %j stays as it is", (text) => {
    expect(sanitise(text)).toEqual({ text, changed: false });
    const stream = createStreamSanitiser();
    for (const char of text) stream.push(char);
    expect(stream.end()).toBe(text);
  });

  it.each(innocent)("ST-6: %j stays beside a leak as well", (text) => {
    expect(sanitise(`${text}\n\n<think>SECRET`)).toEqual({ text, changed: true });
  });
});

describe("ST-6: hostile text costs its length", () => {
  it.each(["<", "<think>", "<think ", "[Tool Call:", "`<|a|>", "</think><", "<think>a</think>", "a<Think>"])(
    "ST-6: twice as much of %j costs about twice as much",
    (unit) => {
      const cost = (size: number): number => {
        const text = unit.repeat(Math.ceil(size / unit.length));
        return Math.min(...Array.from({ length: 3 }, () => cpuMs(() => sanitise(`<think>x</think>${text}`))));
      };
      const small = Math.max(cost(250_000), 2);
      // Linear work makes four times as much of it, quadratic work sixteen times.
      expect(cost(1_000_000) / small).toBeLessThan(12);
    },
  );
});
