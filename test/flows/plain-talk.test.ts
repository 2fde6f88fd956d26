import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startTestBridge();
});
afterAll(() => bridge[Symbol.asyncDispose]());

test("CH-4: the operator talks on the web page, and the second answer knows the first message", async () => {
  const { operator } = bridge.web;
  await operator.says("remember that the key is under the mat");
  await operator.hears(/the key is under the mat$/);
  await operator.says("what did I say?");
  await operator.hears(/"remember that the key is under the mat"/);
});

test("SK-5, FC-128: a thread on the web page has a memory of its own", async () => {
  const channel = await bridge.web.channel("Gardening");
  const thread = await channel.thread("Roses");
  await channel.says("remember that the hedge is cut in May");
  await channel.hears(/the hedge is cut in May$/);
  await thread.says("what did I say?");
  await thread.hears("You have said nothing before in this session.");
  expect(await channel.answers()).toHaveLength(1);
});

test("CH-3: Ann talks in a direct message on Telegram, and the second answer knows the first message", async () => {
  const dm = bridge.ann.dm(bridge.bot);
  dm.says("remember that the train leaves at nine");
  await dm.botSays({ matching: /the train leaves at nine$/ });
  dm.says("what did I say?");
  await dm.botSays({ matching: /"remember that the train leaves at nine"/ });
});

test("IN-7: in a group the bot answers only people who mention it", async () => {
  const { tg, bot, ann, bob } = bridge;
  const group = tg.group({ title: "Team", members: [ann, bob, bot], supergroup: true });
  group.from(bob).says("say exactly: nobody asked me");
  const asked = group.from(ann).says("say exactly: Ann asked me", { mention: bot });
  const answer = await group.botSays();
  expect(answer.text).toBe("Ann asked me");
  expect(answer.reply_to_message?.message_id).toBe(asked.message_id);
  await tg.caughtUp(bot);
  expect(group.messages().filter((message) => message.from?.is_bot)).toHaveLength(1);
});

test("SK-9: each topic of a forum is a conversation of its own, and so is General", async () => {
  const { tg, bot, ann } = bridge;
  const forum = tg.forum({ title: "Work", members: [ann, bot], admins: [bot] });
  const deploys = forum.topic("Deploys");
  const ideas = forum.topic("Ideas");
  deploys.from(ann).says("remember that friday is frozen", { mention: bot });
  await deploys.botSays({ matching: /friday is frozen$/ });
  ideas.from(ann).says("what did I say?", { mention: bot });
  await ideas.botSays({ matching: "You have said nothing before in this session." });
  forum.from(ann).says("what did I say?", { mention: bot });
  const general = await forum.botSays({ matching: "You have said nothing before in this session." });
  expect(general.message_thread_id).toBeUndefined();
  deploys.from(ann).says("what did I say?", { mention: bot });
  await deploys.botSays({ matching: /friday is frozen/ });
});

test("TN-11: on Telegram a streamed answer is one message that grows until it is complete", async () => {
  const { tg, bot } = bridge;
  const dm = tg.user({ name: "Cleo" }).dm(bot);
  dm.says("slowly count to seven");
  const preview = await dm.botSays();
  expect(preview.text).not.toMatch(/done/);
  await dm.botEdits(preview, { matching: "1, 2, 3, 4, 5, 6, 7 — done.", within: 10_000 });
  expect(dm.stored(preview).earlier.length).toBeGreaterThan(0);
  expect(dm.messages().filter((message) => message.from?.is_bot)).toHaveLength(1);
});

test("TN-11: on the web page a streamed answer is one message that grows until it is complete", async () => {
  const { operator } = bridge.web;
  await operator.says("slowly count to seven");
  const answer = await operator.hears("1, 2, 3, 4, 5, 6, 7 — done.");
  const versions = operator.versions(answer.id);
  expect(versions.length).toBeGreaterThan(1);
  for (const version of versions) expect("1, 2, 3, 4, 5, 6, 7 — done.".startsWith(version)).toBe(true);
});

test("CM-9: what the person reads names no token and no path", async () => {
  const { operator } = bridge.web;
  await operator.says("/status");
  const card = await operator.hears(/demo\/switchyard/);
  expect(card.text).not.toContain(bridge.bot.token);
  expect(card.text).not.toContain(bridge.process.folder);
});
