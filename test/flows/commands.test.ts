import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startTestBridge();
});
afterAll(() => bridge[Symbol.asyncDispose]());

test("TN-13: /new forgets, and the old transcript is still read by its session id", async () => {
  const channel = await bridge.web.channel("Fresh");
  await channel.says("remember that the safe is behind the picture");
  await channel.hears(/behind the picture$/);
  await channel.says("/status");
  const card = await channel.hears(/Session id/);
  const sessionId = /Session id: ([0-9a-f-]{36})/.exec(card.text)?.[1] ?? "";
  await channel.says("/new");
  await channel.hears("Started a fresh session.");
  await channel.says("what did I say?");
  await channel.hears("You have said nothing before in this session.");
  const history = await bridge.cli("history", sessionId);
  expect(history.out).toContain("the safe is behind the picture");
  expect(history.exitCode).toBe(0);
});

test("CM-4: commands answer on Telegram as text, with the bot's name and after a mention", async () => {
  const { tg, bot, ann } = bridge;
  const dm = ann.dm(bot);
  dm.says("/help");
  await dm.botSays({ matching: /\/status[\s\S]*\/new/ });
  dm.says("/status");
  await dm.botSays({ matching: /demo\/switchyard/ });
  dm.says("/tools");
  await dm.botSays({ matching: /sessions_spawn/ });
  dm.says("/subagents list");
  await dm.botSays({ matching: "No sub-agents here." });
  dm.says("/whoami");
  await dm.botSays({ matching: new RegExp(String(ann.id)) });
  const group = tg.group({ title: "Team", members: [ann, bot] });
  group.from(ann).says(`/status@${bot.username}`);
  await group.botSays({ matching: /group:/ });
});

test("CM-5: an unknown command in a message goes to the agent as plain text", async () => {
  const channel = await bridge.web.channel("Unknown");
  await channel.says("/frobnicate now");
  await channel.hears(/You wrote: "\/frobnicate now"/);
});

test("SB-3: /subagents list shows a sub-agent that ran here, and no other conversation's", async () => {
  const channel = await bridge.web.channel("Sub-agents");
  await channel.says("spawn a sub-agent to count to three and report");
  await channel.hears(/is done and reports/);
  await channel.says("/subagents list");
  await channel.hears(/count to three: ok/);
  const other = await bridge.web.channel("No sub-agents");
  await other.says("/subagents list");
  await other.hears("No sub-agents here.");
});

test("IN-2: an update that comes twice runs once", async () => {
  const { tg, bot } = bridge;
  const dm = tg.user({ name: "Eve" }).dm(bot);
  const message = dm.says("say exactly: only once");
  tg.inject(bot, { message });
  await dm.botSays({ matching: "only once" });
  tg.inject(bot, { message });
  await tg.caughtUp(bot);
  dm.says("say exactly: the end");
  await dm.botSays({ matching: "the end" });
  expect(dm.texts().filter((text) => text === "only once")).toHaveLength(1);
});

test("IN-2: a message that the page sends twice under one id runs once", async () => {
  const channel = await bridge.web.channel("Twice");
  const id = "client-id-sent-twice";
  const [first, second] = [
    await channel.says("say exactly: once", { id }),
    await channel.says("say exactly: once", { id }),
  ];
  expect(second).toBe(first);
  await channel.says("say exactly: the end");
  await channel.hears("the end");
  expect(await channel.answers()).toEqual(["once", "the end"]);
});
