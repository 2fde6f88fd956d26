import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createAnswer } from "../../src/agent/providers/read/answer.ts";
import { readAnthropic } from "../../src/agent/providers/read/anthropic.ts";
import { streamEvents } from "../../src/agent/providers/read/events.ts";
import { readGoogle } from "../../src/agent/providers/read/google.ts";
import { readChat } from "../../src/agent/providers/read/openai-chat.ts";
import { readResponses } from "../../src/agent/providers/read/openai-responses.ts";
import type { MessagePart } from "../../src/core/message/transcript.ts";
import { anthropicProtocol } from "../support/emulators/model/vendors/anthropic.ts";
import { googleProtocol } from "../support/emulators/model/vendors/google.ts";
import { openaiResponsesProtocol } from "../support/emulators/model/vendors/openai-responses.ts";
import { chatProtocol } from "./chat-stream.ts";

const PROTOCOLS = [
  ["OpenAI's chat completions", chatProtocol({}), readChat],
  ["OpenAI's Responses", openaiResponsesProtocol, readResponses],
  ["Anthropic", anthropicProtocol, readAnthropic],
  ["Google", googleProtocol, readGoogle],
] as const;

const ANSWER = {
  kind: "answer",
  thinking: { text: "Let me see.", signature: "c2ln" },
  deltas: ["The tide ", "is hïgh 😀."],
  calls: [{ id: "call_1", name: "look_up", args: { what: "tides", deep: [1, "two"] } }],
} as const;

/** What a reader makes of a stream that comes in these pieces; null: one clear failure. */
async function read(pieces: readonly string[], reader: (typeof PROTOCOLS)[number][2]) {
  const answer = createAnswer({
    usedIds: new Set(),
    maker: "me",
    textCalls: null,
    estimate: () => ({ input: 1, output: 1, cached: 0 }),
  });
  const parts = reader(answer);
  try {
    for await (const event of streamEvents(chunks(pieces))) {
      if (event.type === "value") parts.accept(event.value);
      else if (event.type === "over") answer.whole();
      else answer.damaged();
    }
  } catch (error) {
    return error instanceof TypeError ? "broken reader" : null;
  }
  parts.end?.();
  return answer.done();
}

async function* chunks(pieces: readonly string[]): AsyncIterable<string> {
  yield* pieces;
}

const textIn = (parts: readonly MessagePart[]): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
const callsIn = (parts: readonly MessagePart[]) =>
  parts.flatMap((part) => (part.type === "tool_call" ? [{ name: part.name, args: part.args }] : []));
const WHOLE = { text: "The tide is hïgh 😀.", calls: [{ name: "look_up", args: { what: "tides", deep: [1, "two"] } }] };

describe.each(PROTOCOLS)("FC-310 %s", (_name, protocol, reader) => {
  const stream = protocol.render(ANSWER);

  test("FC-310: changes that lose nothing lose nothing: splits, line ends, comments, blank lines, unknown events", async () => {
    const changes: fc.Arbitrary<(text: string) => readonly string[]> = fc.oneof(
      fc.array(fc.nat(stream.length), { maxLength: 6 }).map((cuts) => (whole: string) => split(whole, cuts)),
      fc.constantFrom(
        (whole: string) => [whole.replaceAll(/\r?\n/g, "\r\n")],
        (whole: string) => [whole.replaceAll(/\r?\n/g, "\r")],
        (whole: string) => [`\ufeff${whole}`],
        (whole: string) => [whole.trimEnd()],
        (whole: string) => [whole.replaceAll("data: ", "data:")],
        (whole: string) => [whole.replaceAll(/(\r?\n){2}/g, "\n")],
        (whole: string) => [whole.replaceAll(/(\r?\n){2}/g, "\n\n: ping\n\n")],
        (whole: string) => [`event: unknown\ndata: {"type":"x.unknown","extra":{"a":[1]}}\n\n${whole}`],
        (whole: string) => [`id: 1\nretry: 5\n${whole}`],
      ),
    );
    await fc.assert(
      fc.asyncProperty(changes, async (change) => {
        const done = await read(change(stream), reader);
        if (done === null || done === "broken reader") throw new Error("no answer");
        expect({ text: textIn(done.parts), calls: callsIn(done.parts) }).toEqual(WHOLE);
      }),
      { numRuns: 60 },
    );
  });

  test("FC-310: whatever one value of the stream becomes, an answer arrives or one clear failure, never a broken reader", async () => {
    const lines = stream
      .split("\n")
      .map((line, at) => ({ line, at }))
      .filter(({ line }) => line.startsWith("data: {"));
    const odd = fc.constantFrom<unknown>(null, undefined, "5", "", 7, [], {}, true, "text", { a: 1 });
    await fc.assert(
      fc.asyncProperty(fc.nat(lines.length - 1), fc.nat(60), odd, async (which, where, value) => {
        const chosen = lines[which];
        if (chosen === undefined) throw new Error("no line");
        const json = JSON.parse(chosen.line.slice(6)) as object;
        const changed = mutated(json, where, value);
        const all = stream.split("\n");
        all[chosen.at] = `data: ${JSON.stringify(changed)}\r`.trimEnd();
        const done = await read([all.join("\n")], reader);
        expect(done).not.toBe("broken reader");
        if (done === null || done === "broken reader") return;
        // What arrives is a part of the answer and nothing else, but for the one value that was changed.
        const isWhole = textIn(done.parts) === WHOLE.text || callsIn(done.parts).length > 0 || done.finish !== "stop";
        expect(isWhole || textIn(done.parts) !== "" || value !== undefined).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("FC-310: one line that is cut costs at most what it held, and says so", async () => {
    const lines = stream.split("\n");
    for (const [at, line] of lines.entries()) {
      if (!line.startsWith("data: {")) continue;
      const cut = lines.with(at, line.slice(0, Math.floor(line.length / 2)));
      const done = await read([cut.join("\n")], reader);
      expect(done).not.toBe("broken reader");
      if (done === null || done === "broken reader") continue;
      const isAll =
        textIn(done.parts) === WHOLE.text && JSON.stringify(callsIn(done.parts)) === JSON.stringify(WHOLE.calls);
      expect(isAll || done.finish === "length", line).toBe(true);
    }
  });
});

describe("FC-310 odd but complete chat answers", () => {
  const chunk = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
  const text = { choices: [{ index: 0, delta: { content: "Well." } }] };
  test.each([
    [
      "plain JSON to a streaming request",
      JSON.stringify({ choices: [{ message: { role: "assistant", content: "Well." }, finish_reason: "stop" }] }),
    ],
    ["indented JSON", JSON.stringify({ choices: [{ message: { content: "Well." } }] }, null, 2)],
    [
      "one JSON a line",
      `${JSON.stringify(text)}\n${JSON.stringify({ choices: [{ delta: {}, finish_reason: "stop" }] })}\n`,
    ],
    [
      "choices null beside usage",
      `${chunk(text)}${chunk({ choices: null, usage: { prompt_tokens: "3", completion_tokens: "1" } })}data: [DONE]\n\n`,
    ],
    ["no finish_reason", `${chunk(text)}data: [DONE]`],
    [
      "content as a list of parts",
      `${chunk({ choices: [{ delta: { content: [{ type: "text", text: "Well." }] }, finish_reason: "stop" }] })}`,
    ],
    [
      "a JSON over two data lines",
      'data: {"choices":[{"delta":{"content":"Well."},\ndata: "finish_reason":"stop"}]}\n\n',
    ],
  ])("FC-310: %s", async (_name, body) => {
    const done = await read([body], readChat);
    if (done === null || done === "broken reader") throw new Error("no answer");
    expect(done.parts).toEqual([{ type: "text", text: "Well." }]);
    expect(done.usage.input).toBeGreaterThan(0);
  });
});

function split(text: string, cuts: readonly number[]): readonly string[] {
  const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
  return places.slice(1).map((end, at) => text.slice(places[at], end));
}

/** The value with its n-th inner value replaced; `undefined` takes it out. */
function mutated(value: unknown, where: number, by: unknown): unknown {
  let count = 0;
  const visit = (one: unknown): unknown => {
    if (typeof one !== "object" || one === null) return one;
    const change = ([key, inner]: [string, unknown]): [string, unknown] => [key, count++ === where ? by : visit(inner)];
    const entries = Object.entries(one).map(change);
    return Array.isArray(one) ? entries.map(([, inner]) => inner ?? null) : Object.fromEntries(entries);
  };
  return visit(value);
}
