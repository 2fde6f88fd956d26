import { afterAll, beforeAll, expect, test } from "vitest";
import { resultFigures, tokenBaseline, turnFigures } from "../../bench/tokens.ts";
import { promptTexts } from "../../src/core/texts/agent/prompt.ts";
import { answer, type ChatRequest, call, say } from "../support/emulators/model/index.ts";
import { modelRules } from "../support/model-rules.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

const MAX_GROWTH = 1.05;

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startTestBridge({
    model: modelRules(
      [/Hi$/, say("Hello.")],
      [
        /send an ant$/,
        ({ results }) =>
          results.length > 0
            ? say("It is on its way.")
            : call("sessions_spawn", { task: "count forever", label: "ant" }),
      ],
      [/count forever$/, answer({ type: "silence" })],
      [/what now\?$/, say("The ant still counts.")],
    ),
  });
});
afterAll(() => bridge?.[Symbol.asyncDispose]());

const inDm = ({ messages }: ChatRequest): boolean => !JSON.stringify(messages).includes(promptTexts.subagent);
/** What a provider's cache compares: tools and instructions first, then the conversation. */
const bytes = ({ messages, tools }: ChatRequest, until = messages.length): string =>
  JSON.stringify([tools, ...messages.slice(0, until)]).slice(0, -1);

test("FC-234: what a turn's requests begin with stays the same bytes in the next turn, also after a spawn, and its tokens do not grow unseen", async () => {
  const dm = bridge.ann.dm(bridge.bot);
  dm.says("Hi");
  await dm.botSays({ matching: "Hello." });
  dm.says("send an ant");
  await dm.botSays({ matching: "It is on its way." });
  dm.says("what now?");
  await dm.botSays({ matching: "The ant still counts." });
  const asked = bridge.model.requests.filter(inDm);
  const [first, second, third, fourth] = asked;
  if (first === undefined || second === undefined || third === undefined || fourth === undefined) {
    throw new Error(`${asked.length} requests`);
  }
  for (const [before, after] of [
    [first, second],
    [second, third],
    [third, fourth],
  ] as const) {
    expect(bytes(after).startsWith(bytes(before))).toBe(true);
  }
  // The running sub-agent is told with the newest message, which no cache holds yet.
  expect(JSON.stringify(fourth.messages.at(-1))).toContain(promptTexts.activeRuns);
  expect(bytes(fourth, fourth.messages.length - 1)).not.toContain(promptTexts.activeRuns);
  expectNoGrowth(turnFigures(first), true);
});

test("FC-234: no tool's result takes 5 % more tokens than its baseline, and none is without one", async () => {
  expectNoGrowth(await resultFigures(), false);
});

/** `node bench/tokens.ts --write` makes a growth that is meant the new baseline. */
function expectNoGrowth(figures: Readonly<Record<string, number>>, ofTurn: boolean): void {
  const baseline = tokenBaseline();
  expect(Object.keys(baseline).filter((name) => name.startsWith("empty turn") === ofTurn)).toEqual(
    Object.keys(figures),
  );
  const grown = Object.entries(figures).filter(
    ([name, tokens]) => tokens > Math.max((baseline[name] ?? 0) * MAX_GROWTH, (baseline[name] ?? 0) + 1),
  );
  expect(grown).toEqual([]);
}
