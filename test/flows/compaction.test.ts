import { afterAll, beforeAll, expect, test } from "vitest";
import {
  answer,
  type ChatRequest,
  call,
  faults,
  gate,
  messageText,
  say,
  text,
} from "../support/emulators/model/index.ts";
import { modelRules, type Rule } from "../support/model-rules.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startTestBridge({
    model: modelRules(),
    telegram: false,
    config: {
      models: {
        providers: { emulated: { models: { small: { contextTokens: 10_000 }, wide: { contextTokens: 30_000 } } } },
      },
      agents: { defaults: { compaction: { threshold: 0.6 } } },
    },
  });
});
afterAll(() => bridge[Symbol.asyncDispose]());

const LONG = "lorem ipsum ".repeat(1_000);
const SUMMARY: Rule = [/Write the summary of all of it now\.$/, say("They agreed on the heron.")];
const NOTES: Rule = [/^note (\w+)/m, ({ input }) => say(`Noted ${/^note (\w+)/m.exec(input)?.[1]}.`)];

const allText = (request: ChatRequest): string => request.messages.map(messageText).join("\n");
/** Whether the model was shown the summary, and not what it stands for. */
const shown = (request: ChatRequest): string => {
  const text = allText(request);
  return `summary ${text.includes("They agreed on the heron.")}, first note ${text.includes("note one")}`;
};
const lastNote: Rule = [/what now\?$/, ({ request }) => say(shown(request))];

test("TN-12: a conversation that outgrows the window goes on with a summary, and the transcript keeps every word", async () => {
  bridge.script(modelRules(SUMMARY, NOTES, lastNote));
  const channel = await bridge.web.channel("Long talk");
  await channel.says("/whoami");
  const { text } = await channel.hears(/agent:main:/);
  const key = /agent:main:[\w:%.-]+/.exec(text)?.[0] ?? "";
  for (const note of ["one", "two", "three"]) {
    await channel.says(`note ${note} ${LONG}`);
    await channel.hears(`Noted ${note}.`);
  }
  await channel.says("what now?");
  await channel.hears("summary true, first note false");
  const history = await bridge.cli("history", key);
  expect(history.out).toContain("note one");
  await channel.says("/status");
  await channel.hears(/Compactions: [12]/);
});

test("TN-12: /compact summarises now, looks to what it is told, and leaves the newest exchange", async () => {
  bridge.script(modelRules(SUMMARY, NOTES, lastNote));
  const channel = await bridge.web.channel("On demand");
  await channel.says("note one");
  await channel.hears("Noted one.");
  await channel.says("/compact");
  await channel.hears("There is nothing to summarize yet.");
  await channel.says("note two");
  await channel.hears("Noted two.");
  await channel.says("/compact keep the birds");
  await channel.hears(/^Summarized 2 messages/);
  const asked = bridge.model.requests.at(-1);
  expect(asked === undefined ? "" : allText(asked)).toMatch(/keep the birds[\s\S]*note one/);
  expect(asked?.tools ?? []).toEqual([]);
  await channel.says("what now?");
  await channel.hears("summary true, first note false");
});

test("CM-4, TN-12: while /compact waits for the model, the session's other commands are answered", async () => {
  const held = gate();
  const slow: Rule = [/Write the summary of all of it now\.$/, answer(held.step, text("They agreed on the heron."))];
  bridge.script(modelRules(slow, NOTES, lastNote));
  const channel = await bridge.web.channel("Slow summary");
  for (const note of ["one", "two"]) {
    await channel.says(`note ${note}`);
    await channel.hears(`Noted ${note}.`);
  }
  const before = bridge.model.requests.length;
  await channel.says("/compact");
  await bridge.model.waitForRequest(before + 1);
  await channel.says("/stop");
  await channel.hears("Nothing was running.");
  await channel.says("/name Herons");
  await channel.hears("This session is now called “Herons”.");
  await channel.says("/compact");
  await channel.says("/status");
  await channel.hears(/Compactions: 0|agent:main:/);
  expect(bridge.model.requests).toHaveLength(before + 1);
  held.open();
  await channel.hears(/^Summarized 2 messages/);
  await channel.hears("There is nothing to summarize yet.");
});

test("TN-6: a context overflow compacts once and asks again", async () => {
  bridge.script(
    modelRules(SUMMARY, NOTES, [
      /what now\?$/,
      ({ request }) => (allText(request).includes("the heron") ? say(shown(request)) : faults.contextOverflow()),
    ]),
  );
  const channel = await bridge.web.channel("Overflow");
  await channel.says("note one");
  await channel.hears("Noted one.");
  const before = bridge.model.requests.length;
  await channel.says("what now?");
  await channel.hears("summary true, first note false");
  expect(bridge.model.requests.length - before).toBe(3);
});

test("TN-12: when no summary can be made the oldest messages are left out, and the person is answered", async () => {
  bridge.script(modelRules([SUMMARY[0], faults.contextOverflow()], NOTES, lastNote));
  const channel = await bridge.web.channel("No summary");
  for (const note of ["one", "two", "three"]) {
    await channel.says(`note ${note} ${LONG}`);
    await channel.hears(`Noted ${note}.`);
  }
  await channel.says("what now?");
  await channel.hears("summary false, first note false");
});

test("TN-12: in one long turn old, large results are shortened first, and no call loses its result", async () => {
  let calls = 0;
  bridge.script(
    modelRules(SUMMARY, NOTES, [
      /look around$/,
      ({ request, results }) => {
        calls += 1;
        const pruned = results.filter((result) => result.includes("of this old result are left out")).length;
        if (pruned > 0 || calls > 30) return say(`${pruned > 0 ? "shortened" : "never"}, ${request.fault ?? "whole"}`);
        return call("sessions_history", { sessionKey: "agent:main:web:channel:long-turn", limit: calls });
      },
    ]),
  );
  const channel = await bridge.web.channel("Long turn");
  await channel.says("/model emulated/wide");
  await channel.hears(/emulated\/wide/);
  await channel.says(`note one ${LONG.slice(0, 3_900)}`);
  await channel.hears("Noted one.");
  await channel.says("look around");
  await channel.hears("shortened, whole");
});
