import { afterAll, beforeAll, expect, test } from "vitest";
import type { Place } from "../support/emulators/telegram/place.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startTestBridge();
});
afterAll(() => bridge[Symbol.asyncDispose]());

const ASKED = "spawn a sub-agent to count to three and report";
const STARTED = /^I started the sub-agent "count to three"/;
const REPORTED = 'The sub-agent "count to three" is done and reports: 1, 2, 3 — done.';

function botTexts(place: Place): readonly string[] {
  return place
    .messages()
    .filter((message) => message.from?.is_bot === true)
    .map((message) => message.text ?? "");
}

test("CP-4: on the web page a sub-agent's result comes back into the thread that asked for it", async () => {
  const channel = await bridge.web.channel("Numbers");
  const thread = await channel.thread("Counting");
  await thread.says(ASKED);
  await thread.hears(STARTED);
  await thread.hears(REPORTED);
  expect(await channel.answers()).toEqual([]);
});

test("CP-4, FC-187: in a direct message the sub-agent starts, and its result follows", async () => {
  const dm = bridge.ann.dm(bridge.bot);
  dm.says(ASKED);
  await dm.botSays({ matching: STARTED });
  await dm.botSays({ matching: REPORTED });
});

test("CP-4, FC-004: asked in a forum topic, the result comes back into this topic and nowhere else", async () => {
  const { tg, bot, ann } = bridge;
  const forum = tg.forum({ title: "Work", members: [ann, bot], admins: [bot] });
  const counting = forum.topic("Counting");
  const other = forum.topic("Other");
  counting.from(ann).says(ASKED, { mention: bot });
  await counting.botSays({ matching: STARTED });
  other.from(ann).says("say exactly: I am elsewhere", { mention: bot });
  await counting.botSays({ matching: REPORTED });
  await other.botSays({ matching: "I am elsewhere" });
  expect(botTexts(forum)).toEqual([]);
  expect(botTexts(other)).toEqual(["I am elsewhere"]);
});

test("CP-4, FC-004: asked in a group, the result comes back into the group", async () => {
  const { tg, bot, ann } = bridge;
  const group = tg.group({ title: "Team", members: [ann, bot] });
  group.from(ann).says(ASKED, { mention: bot });
  await group.botSays({ matching: STARTED });
  await group.botSays({ matching: REPORTED });
});

test("CP-8: who wants to wait gets both results in one message, when the last sub-agent has ended", async () => {
  const { operator } = bridge.web;
  await operator.says("spawn two sub-agents to count to four and report, then wait");
  const report = await operator.hears(/is done and reports/);
  expect(report.text.match(/is done and reports: 1, 2, 3, 4 — done\./g)).toHaveLength(2);
});
