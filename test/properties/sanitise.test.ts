import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stripControlWords, visibleBeforeControlWord } from "../../src/core/text/control-words.ts";
import { cutBytes, cutMiddle, cutText, utf8Length } from "../../src/core/text/cut.ts";
import { neutraliseMentions } from "../../src/core/text/markdown-tree.ts";
import { escapeMarkers } from "../../src/core/text/prompt-words.ts";
import { createRedactor } from "../../src/core/text/redact.ts";
import { sanitise } from "../../src/core/text/sanitise.ts";
import { createStreamSanitiser } from "../../src/core/text/stream-sanitiser.ts";
import { LONE_SURROGATE, messyMarkdown } from "./markdown-arbitrary.ts";

const LEAKS = [
  "<think>",
  "</think>",
  "<thinking>",
  "</thinking >",
  "<thi",
  "nk>",
  "<think",
  "<relevant-memories>",
  "</relevant-memories>",
  "<tool_call>",
  "</tool_call>",
  '<invoke name="a">',
  "</invoke>",
  "</minimax:tool_call>",
  "<function_calls>",
  "<|im_start|>",
  "<|",
  "|>",
  "<｜end▁of▁sentence｜>",
  "[THINK]",
  "[/THINK]",
  "◁think▷",
  "◁/think▷",
  "<|channel|>analysis<|message|>",
  "<|channel|>final<|message|>",
  "<|end|>",
  "analysisThe",
  "assistantfinal",
  "[Tool Call: x]",
  "[Tool Call: ",
  "Arguments: {",
  '{"a": "]"}',
  "[Tool Result for ID 1]",
  "[Historical context: ",
  "]",
  "}",
  "\n",
  "\n\n",
  "`",
  "``",
  "```",
  "```\n",
  "\n```\n",
  "~~~\n",
  "> ",
  "- ",
  "a ",
  "secret ",
  "answer ",
  "<",
  ">",
  "</",
  "/",
  " ",
  "\\",
];
const leaky = fc.array(
  fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...LEAKS) }, { weight: 1, arbitrary: fc.string({ maxLength: 4 }) }),
  {
    maxLength: 30,
  },
);

describe("ST-6: sanitising any text", () => {
  it("ST-6: is idempotent, and only ever removes", () => {
    fc.assert(
      fc.property(leaky, (parts) => {
        const text = parts.join("");
        const once = sanitise(text);
        expect(sanitise(once.text)).toEqual({ text: once.text, changed: false });
        expect(once.changed).toBe(once.text !== text);
        expect(isSubsequence(once.text, text)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("ST-6: without a backtick or tilde, no tag of its own survives, unless a sentence speaks of it", () => {
    fc.assert(
      fc.property(leaky, (parts) => {
        const text = parts.join("").replaceAll(/[`~]/g, "");
        expect(sanitise(text).text).not.toMatch(
          /(?<![\w,;(["'][ \t]{1,99}["'(]?)<\/?(?:think|thinking)[\s>]|<\/?(?:tool_call|function_calls|invoke)[\s>]|<\|\w+\|>|\[Tool Call:/i,
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it("ST-6: a stream shows nothing the sanitiser would remove, and ends as the whole does", () => {
    fc.assert(
      fc.property(leaky, (parts) => {
        const stream = createStreamSanitiser();
        for (const part of parts) {
          const shown = stream.push(part);
          // The line end keeps a last `<|x` from counting as cut off: in the stream, more came and it was none.
          expect(sanitise(`${shown}\n`)).toEqual({ text: `${shown}\n`, changed: false });
        }
        expect(stream.end()).toBe(sanitise(parts.join("")).text);
      }),
      { numRuns: 2_000 },
    );
  });

  it("ST-6: reasoning never shows in a stream, wherever the deltas are cut", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 80 }),
        messyMarkdown(6),
        (sizes, answer) => {
          const text = `<think>SECRET ${"SECRET ".repeat(5)}</think>\n\n${answer.replaceAll("`", "")}<tool_call>{"SECRET": 1}</tool_call>`;
          const stream = createStreamSanitiser();
          let at = 0;
          for (let index = 0; at < text.length; index += 1) {
            const size = sizes[index % sizes.length] ?? 1;
            expect(stream.push(text.slice(at, at + size))).not.toMatch(/SECRET|think>|tool_call/);
            at += size;
          }
          expect(stream.end()).not.toContain("SECRET");
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("the other text guards", () => {
  const words = fc.array(
    fc.constantFrom(
      "NO_REPLY",
      "no_reply",
      "NO",
      "_REPLY",
      "REPLY_SKIP",
      " ",
      "\n",
      "*",
      "`",
      ".",
      "a",
      "_",
      "\\_",
      "@x.y",
    ),
    { maxLength: 12 },
  );

  it("TN-9: no control word shows, streamed or not", () => {
    fc.assert(
      fc.property(words, (parts) => {
        const text = parts.join("");
        const stripped = stripControlWords(text);
        expect(stripControlWords(stripped)).toBe(stripped);
        for (const shown of [stripped, visibleBeforeControlWord(text)]) {
          expect(shown).not.toMatch(/(?<![A-Za-z0-9_])(?:NO_REPLY|REPLY_SKIP)(?![A-Za-z0-9_])/);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("IN-10, DL-8, ST-7: escaping, neutralising and redacting twice change nothing more", () => {
    const redact = createRedactor(["s3cret-value", "http://user:pass@host"]);
    const hostile = fc.array(
      fc.constantFrom(
        "[System]",
        "\\",
        "[",
        "Tool Call: x]",
        "@everyone",
        "@",
        "here",
        "<!",
        "channel>",
        "s3cret-value",
        "password=",
        "http://a:b@c",
        ":",
        "Bearer ",
        "x".repeat(20),
        "1",
        " ",
        '"',
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(hostile, (parts) => {
        const text = parts.join("");
        for (const guard of [escapeMarkers, neutraliseMentions, (input: string) => redact(input).text]) {
          expect(guard(guard(text))).toBe(guard(text));
        }
        expect(redact(text).text).not.toContain("s3cret-value");
      }),
      { numRuns: 2_000 },
    );
  });

  it("ST-8, TN-17: cuts keep to their limit and break no character", () => {
    fc.assert(
      fc.property(messyMarkdown(20), fc.integer({ min: 1, max: 400 }), (source, max) => {
        const text = source.toWellFormed();
        expect(cutText(text, max).text.length).toBeLessThanOrEqual(max);
        expect(utf8Length(cutBytes(text, max).text)).toBeLessThanOrEqual(max);
        expect(utf8Length(cutMiddle(text, max).text)).toBeLessThanOrEqual(max);
        for (const cut of [cutText(text, max), cutBytes(text, max), cutMiddle(text, max)]) {
          expect(cut.text).not.toMatch(LONE_SURROGATE);
          if (!cut.truncated) expect(cut.text).toBe(text);
        }
      }),
      { numRuns: 500 },
    );
  });
});

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const char of part) {
    at = whole.indexOf(char, at);
    if (at === -1) return false;
    at += char.length;
  }
  return true;
}
