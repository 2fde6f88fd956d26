import { expect, it } from "vitest";
import { sanitise } from "../../../src/core/text/sanitise.ts";
import { createStreamSanitiser } from "../../../src/core/text/stream-sanitiser.ts";
import { cpuMs } from "../../support/cpu-time.ts";

function shownAfterEach(deltas: readonly string[]): string[] {
  const stream = createStreamSanitiser();
  return deltas.map((delta) => stream.push(delta));
}

it("ST-6, FC-109: reasoning split over deltas never shows", () => {
  expect(shownAfterEach(["<th", "ink>sec", "ret</thi", "nk>\n", "\nHel", "lo"])).toEqual([
    "",
    "",
    "",
    "",
    "Hel",
    "Hello",
  ]);
});

it("ST-6: a partial tag is held back and released when it is none", () => {
  expect(shownAfterEach(["a <", "b and c ", "<t", "able>"])).toEqual([
    "a ",
    "a <b and c ",
    "a <b and c ",
    "a <b and c <table>",
  ]);
});

it("ST-6: half a control token and half a bracket are held back", () => {
  expect(shownAfterEach(["x <|im", "_end|> y [Too", "l Call: z] w"])).toEqual(["x ", "x y ", "x y w"]);
  expect(shownAfterEach(["see [To", "kyo](u)"])).toEqual(["see ", "see [Tokyo](u)"]);
});

it("ST-6: the arguments of a written tool call are held back too", () => {
  const shown = shownAfterEach([...'[Tool Call: read]\nArguments: {"a": 1}\n\nDone']);
  expect(shown.filter((text) => /[A{]/.test(text))).toEqual([]);
  expect(shown.at(-1)).toBe("Done");
});

it("ST-6: an example in a code block shows when the block closes", () => {
  const shown = shownAfterEach(["See\n```\n<thi", "nk>a\n", "```\nok"]);
  expect(shown[1]).toBe("See\n```");
  expect(shown[2]).toBe("See\n```\n<think>a\n```\nok");
});

it("ST-6: nested reasoning does not show between its closers", () => {
  expect(shownAfterEach(["<think>a<think>b</think>", "c</think>", "d"])).toEqual(["", "", "d"]);
});

it("ST-6: end gives exactly the sanitised whole, with nothing held back", () => {
  const stream = createStreamSanitiser();
  expect(stream.push("a <b")).toBe("a ");
  expect(stream.end()).toBe("a <b");
  expect(createStreamSanitiser().end()).toBe(sanitise("").text);
});

it("TN-11: a long answer with reasoning in front streams in about linear time", () => {
  const stream = createStreamSanitiser();
  const spent = cpuMs(() => {
    for (let index = 0; index < 20_000; index += 1) stream.push(index === 0 ? "<think>" : "thinking hard ");
    stream.push("</think>\n\n");
    for (let index = 0; index < 20_000; index += 1)
      stream.push(index % 50 === 0 ? "a < b.\n\n" : "some `words` of it ");
  });
  // Measured at about 100 ms; quadratic work would take minutes.
  expect(spent).toBeLessThan(5_000);
  expect(stream.end()).toContain("some `words`");
});
