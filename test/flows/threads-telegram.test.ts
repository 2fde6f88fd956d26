import { afterAll, beforeAll, expect, test } from "vitest";
import type { Forum, Topic } from "../support/emulators/telegram/groups.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startTestBridge();
});
afterAll(() => bridge[Symbol.asyncDispose]());

function newForum(title: string): Forum {
  const { tg, bot, ann, bob } = bridge;
  return tg.forum({ title, members: [ann, bob, bot], admins: [bot] });
}

/** The topic the bot opened under this name. */
function madeTopic(forum: Forum, name: string): Promise<Topic> {
  return bridge.tg.until(() => forum.topics().find((topic) => topic.name === name), { within: 15_000 });
}

/** Waits until the operator's list of failed deliveries says so. */
async function lost(words: RegExp): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const { out } = await bridge.cli("deliveries", "--failed");
    if (words.test(out)) return;
    if (Date.now() > deadline) throw new Error(`not among the failed deliveries: ${words}\n${out}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test("TB-1: from inside a topic one beside it is made, and the topic gets the way there", async () => {
  const { bot, ann } = bridge;
  const forum = newForum("Workshop");
  const inside = forum.topic("Bench");
  inside.from(ann).says("spawn a sub-agent in a thread to count to two", { mention: bot });
  const topic = await madeTopic(forum, "count to two");
  await topic.botSays({ matching: "1, 2 — done." });
  await inside.botSays({ matching: /^→ count to two/ });
});

test("TB-1, FC-101: where there are no topics nothing is spawned, and the model is told what to do instead", async () => {
  const { tg, bot, ann, bob } = bridge;
  const group = tg.group({ title: "Plain", members: [ann, bob, bot], supergroup: true });
  group.from(ann).says("spawn a sub-agent in a thread to count to three", { mention: bot });
  await group.botSays({ matching: /thread bindings unavailable here; use mode "run"/ });
  group.from(ann).says("/agents", { mention: bot });
  await group.botSays({ matching: /No sub-agents here/ });
});

test("TB-6: a closed topic pauses the binding, opening it again binds it again", async () => {
  const { tg, bot, ann } = bridge;
  const forum = newForum("Cellar");
  forum.from(ann).says("spawn a sub-agent in a thread to count to four", { mention: bot });
  const topic = await madeTopic(forum, "count to four");
  await topic.botSays({ matching: "1, 2, 3, 4 — done." });
  topic.closes();
  await tg.caughtUp(bot);
  forum.from(ann).says("/agents", { mention: bot });
  await forum.botSays({ matching: /count to four: paused, because the thread is locked/ });
  topic.reopens();
  topic.from(ann).says("say exactly: open again");
  await topic.botSays({ matching: "open again" });
});

test("TB-6: a topic that was deleted while the sub-agent worked ends the binding, and the operator sees what was lost", async () => {
  const { bot, ann } = bridge;
  const forum = newForum("Library");
  forum.from(ann).says("spawn a sub-agent in a thread to slowly count to ten", { mention: bot });
  const topic = await madeTopic(forum, "slowly count to ten");
  await topic.botSays({ matching: /\)\. Reply in this thread/ });
  topic.deletes();
  await lost(/thread not found/);
  forum.from(ann).says("/agents", { mention: bot });
  const listed = await forum.botSays({ matching: /Sub-agents here/ });
  expect(listed.text).not.toMatch(/Bound threads/);
});

test("TB-7: a topic whose making got no answer may stand twice, the one labelled case; the sub-agent works in one of them", async () => {
  const { tg, bot, ann } = bridge;
  const forum = newForum("Attic");
  tg.fails({ kind: "cutAfter" }, { method: "createForumTopic" });
  forum.from(ann).says("spawn a sub-agent in a thread to count to six", { mention: bot });
  const [first, second] = await tg.until(
    () => {
      const made = forum.topics().filter((topic) => topic.name === "count to six");
      return made.length === 2 ? made : undefined;
    },
    { within: 15_000 },
  );
  await second?.botSays({ matching: "1, 2, 3, 4, 5, 6 — done." });
  expect(first?.messages().filter((message) => message.text !== undefined)).toEqual([]);
});

test("TB-7: with `hold` it is never made twice; the run ends, and the requester and its people are told", async () => {
  await using careful = await startTestBridge({ config: { delivery: { onUnconfirmed: "hold" } } });
  const { tg, bot, ann } = careful;
  const forum = tg.forum({ title: "Attic", members: [ann, bot], admins: [bot] });
  tg.fails({ kind: "cutAfter" }, { method: "createForumTopic" });
  forum.from(ann).says("spawn a sub-agent in a thread to count to six", { mention: bot });
  await forum.botSays({ matching: /thread may not have been created/ });
  expect(forum.topics().filter((topic) => topic.name === "count to six")).toHaveLength(1);
  forum.from(ann).says("/agents", { mention: bot });
  await forum.botSays({ matching: /count to six: error/ });
});

test("TB-1, TB-7: without the right to make topics any more the run ends as an error, and the requester is told", async () => {
  const { tg, bot, ann } = bridge;
  const forum = newForum("Shed");
  tg.fails(
    { kind: "refusal", code: 400, description: "Bad Request: not enough rights to create a topic" },
    { method: "createForumTopic" },
  );
  forum.from(ann).says("spawn a sub-agent in a thread to count to seven", { mention: bot });
  await forum.botSays({ matching: /The thread could not be created: .*not enough rights/ });
});
