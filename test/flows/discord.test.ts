import { afterAll, beforeAll, expect, test } from "vitest";
import { movingWork } from "../crash/store-view.ts";
import type { Bot, Person } from "../support/emulators/discord/accounts.ts";
import { type DiscordEmulator, startDiscordEmulator } from "../support/emulators/discord/emulator.ts";
import type { Guild } from "../support/emulators/discord/guild.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

let dc: DiscordEmulator;
let bot: Bot;
let ann: Person;
let ben: Person;
let cleo: Person;
let guild: Guild;
let bridge: TestBridge;

beforeAll(async () => {
  dc = await startDiscordEmulator();
  bot = dc.bot({ username: "switchy", messageContent: true });
  ann = dc.user({ name: "Ann" });
  ben = dc.user({ name: "Ben" });
  cleo = dc.user({ name: "Cleo" });
  guild = dc.guild({ name: "Work", members: [ann, ben, cleo, bot] });
  bridge = await startTestBridge({
    telegram: false,
    config: {
      commands: { ownerAllowFrom: [`discord:${ann.id}`], allowFrom: [`discord:${ben.id}`] },
      channels: {
        discord: { token: bot.token, apiUrl: dc.apiUrl, dmPolicy: "open", allowFrom: ["*"], groupPolicy: "open" },
      },
    },
  });
  await dc.connected(bot);
  await dc.called("bulk_set_application_commands", undefined, { within: 10_000 });
});
afterAll(async () => {
  await bridge?.[Symbol.asyncDispose]();
  await dc?.stop();
});

async function settled(): Promise<void> {
  await expect
    .poll(() => movingWork(bridge.process.folder), { timeout: 10_000, interval: 20 })
    .toEqual({ inputs: 0, turns: 0, runs: 0, completions: 0, deliveries: 0 });
}

test("SK-7, DL-7: a DM is answered where it was written, formatted and keyed by the person", async () => {
  const dm = ann.dm(bot);
  dm.says("say exactly: hello *Ann* & <friends>");
  await dm.botSays({ matching: /^hello \*Ann\* & \\<friends>$/, within: 15_000 });
  dm.says("/status");
  await dm.botSays({ matching: new RegExp(`agent:main:discord:direct:${ann.id}`) });
  await settled();
});

test("IN-7, DL-9: a mention in a channel is answered once, as a reply that pings no one; other messages are not for the bot", async () => {
  const channel = guild.text("general");
  const asked = channel.from(ann).says("say exactly: first", { mention: bot });
  const answer = await channel.botSays({ matching: "first" });
  expect(answer).toMatchObject({ message_reference: { message_id: asked.id }, mentions: [] });
  channel.from(ben).says("nobody is meant");
  channel.from(ben).says("say exactly: second", { replyTo: answer });
  await channel.botSays({ matching: "second" });
  await settled();
  expect(channel.texts().filter((text) => /^(first|second)$/.test(text))).toEqual(["first", "second"]);
});

test("SK-7, FC-127: a thread is a session under its channel", async () => {
  const channel = guild.text("ops");
  const thread = channel.thread("Deploys", { by: ann });
  thread.from(ann).says("say exactly: in here", { mention: bot });
  await thread.botSays({ matching: "in here" });
  thread.from(ann).says("/status");
  await thread.botSays({ matching: new RegExp(`agent:main:discord:channel:${channel.id}:thread:${thread.id}`) });
  await settled();
});

test("TB-1, TB-3, FC-043: a sub-agent gets a thread that grows from the message, and people write to it there without a mention", async () => {
  const channel = guild.text("kitchen");
  const asked = channel.from(ann).says("spawn a sub-agent in a thread to count to three", { mention: bot });
  await dc.until(() => (channel.threads().length === 1 ? true : undefined), { what: "the thread", within: 15_000 });
  const thread = channel.inThread(asked.id);
  await thread.botSays({ matching: /^\*\*count to three\*\* \(agent main\)\. Reply in this thread/ });
  await thread.botSays({ matching: /1, 2, 3/ });
  thread.from(ann).says("say exactly: nobody had to mention me");
  await thread.botSays({ matching: "nobody had to mention me" });
  await settled();
  expect(channel.texts()).not.toContain("nobody had to mention me");
  expect(thread.facts.autoArchiveDuration).toBe(1_440);
});

test("SK-7, FC-127: a forum's post is a session under the forum, answered in the post; a sub-agent gets a post of its own", async () => {
  const forum = guild.forum("ideas");
  const post = forum.post("Roof garden", "say exactly: a fine idea", { by: ann, mention: bot });
  await post.botSays({ matching: "a fine idea" });
  post.from(ben).says("/status");
  await post.botSays({ matching: new RegExp(`agent:main:discord:channel:${forum.id}:thread:${post.id}`) });
  post.from(ben).says("spawn a sub-agent to count to three and report");
  await post.botSays({ matching: /is done and reports: 1, 2, 3/ });
  post.from(ann).says("spawn a sub-agent in a thread to count to four");
  await post.botSays({ matching: /thread|post/i });
  const made = await dc.until(() => forum.threads().find((one) => one.name === "count to four"), { within: 15_000 });
  await made.botSays({ matching: "1, 2, 3, 4 — done." });
  await settled();
  expect(forum.messages()).toEqual([]);
});

test("CM-2, CM-3, FC-060: native commands are answered in place, to the person alone where they are for owners", async () => {
  const channel = guild.text("commands");
  const status = channel.from(ann).uses("/status");
  expect((await status.answer({ within: 10_000 })).content).toContain(`agent:main:discord:channel:${channel.id}`);
  const refused = channel.from(ben).uses("/why", { options: { message: "x" } });
  expect((await refused.answer({ within: 10_000 })).content).toContain("Only owners can use");
  await settled();
  expect(channel.texts().filter((text) => text.includes("Only owners can use"))).toEqual([]);
});

test("CM-12, IN-15: suggests only what a person may see while they type a command, and the call accepts it", async () => {
  const channel = guild.text("orchard");
  channel.from(ann).says("spawn a sub-agent to count to three and report", { mention: bot });
  await channel.botSays({ matching: /is done and reports: 1, 2, 3/, within: 15_000 });
  await settled();
  const proposed = (who: Person, command: string, option: string, typed = "", where = channel) =>
    where
      .from(who)
      .autocompletes(command, option, { options: { [option]: typed } })
      .choices();

  const [run, ...others] = await proposed(ben, "/kill", "target");
  expect([run?.name, others]).toEqual([expect.stringMatching(/^count to three and report|^count to three/), []]);
  expect(await proposed(ben, "/kill", "target", "nothing like it")).toEqual([]);
  expect(await proposed(ben, "/kill", "target", "", guild.text("meadow"))).toEqual([]);
  expect(await proposed(cleo, "/kill", "target")).toEqual([]);

  expect((await proposed(ben, "/model", "model", "demo")).map(({ value }) => value)).toEqual(["demo/switchyard"]);
  expect(await proposed(cleo, "/model", "model", "demo")).toEqual([]);

  const key = `agent:main:discord:channel:${channel.id}`;
  expect((await proposed(ann, "/sessions", "search", channel.id)).map(({ value }) => value)).toContain(key);
  expect(await proposed(ben, "/sessions", "search", channel.id)).toEqual([]);

  const used = channel.from(ben).uses("/kill", { options: { target: String(run?.value) } });
  expect((await used.answer({ within: 10_000 })).content).toMatch(/count to three/);
  await settled();
});

test("CH-6, FC-079: what was said while Discord was away is answered once", async () => {
  const channel = guild.text("away");
  channel.from(ann).says("say exactly: before", { mention: bot });
  await channel.botSays({ matching: "before" });
  await settled();
  await dc.stop();
  channel.from(ann).says("say exactly: meanwhile", { mention: bot });
  await dc.start();
  await channel.botSays({ matching: "meanwhile", within: 25_000 });
  await settled();
  expect(channel.texts().filter((text) => text === "meanwhile")).toHaveLength(1);
}, 40_000);

test("DL-4, FC-071: an answer goes out while the gateway cannot be reached and the web API answers", async () => {
  const dm = ann.dm(bot);
  await settled();
  const away = dc.fails({ kind: "refuse" }, { method: "gateway_connect", times: 1_000 });
  dc.breaks(bot, { kind: "cut" });
  const state = async () => await (await fetch(`${bridge.process.url}/healthz`)).text();
  await expect.poll(state, { timeout: 10_000 }).toContain("reconnecting");
  await bridge.cli("send", `agent:main:discord:direct:${ann.id}`, "say exactly: heard all the same");
  await dm.botSays({ matching: "heard all the same", within: 15_000 });
  expect(await state()).toContain("reconnecting");
  away.off();
  await expect.poll(state, { timeout: 15_000 }).not.toContain("reconnecting");
  expect(dm.texts().filter((text) => text === "heard all the same")).toHaveLength(1);
}, 50_000);

test("IN-3, IN-14: what people say first in a channel, a thread and a direct message while the program is dead is answered once", async () => {
  const dora = dc.user({ name: "Dora" });
  guild.adds(dora);
  const thread = guild.text("yard").thread("Gate", { by: ann });
  await settled();
  await bridge.process.kill();
  const places = [guild.text("brand-new").from(dora), thread.from(dora), dora.dm(bot)];
  for (const place of places) place.says("say exactly: found", { mention: bot });
  const before = bot.identifies;
  await bridge.restart();
  for (const place of places) await place.botSays({ matching: "found", within: 20_000 });
  await settled();
  for (const place of places) expect(place.texts().filter((text) => text === "found")).toHaveLength(1);
  expect(bot.identifies).toBe(before + 1);
}, 40_000);

const MISSING = { kind: "refusal", status: 403, code: 50013, description: "Missing Permissions" } as const;

test("FC-421, TB-7: a thread whose first message is refused is put away, and the requester is told", async () => {
  const channel = guild.text("closed-kitchen");
  const asked = channel.from(ann).says("spawn a sub-agent in a thread to count to three", { mention: bot });
  dc.fails(MISSING, { method: "create_message", channel: asked.id });
  await channel.botSays({ matching: /may not write in the thread/, within: 15_000 });
  await settled();
  // Without the permission to delete it, it is at least out of the list.
  expect(channel.threads().map((thread) => thread.facts.archived)).toEqual([true]);
});

test("FC-421, TB-7: a thread in which the bot may not write any more is told in the channel, and to the requester", async () => {
  const channel = guild.text("closing-kitchen");
  const asked = channel.from(ann).says("spawn a sub-agent in a thread to count to three", { mention: bot });
  dc.fails(MISSING, { method: "create_message", channel: asked.id, after: 1 });
  await channel.botSays({ matching: /I may not write in it/, within: 15_000 });
  await settled();
  expect(channel.texts().join("\n")).not.toContain("1, 2, 3 — done");
});
