import { afterEach, beforeEach, expect, it } from "vitest";
import { idAt } from "../../../adapters/discord/address.ts";
import { create } from "../../../adapters/discord/index.ts";
import type { AccountSettings } from "../../../src/core/settings.ts";
import { TestHost } from "../../support/adapter-host.ts";
import type { Bot } from "../../support/emulators/discord/accounts.ts";
import { type DiscordEmulator, startDiscordEmulator } from "../../support/emulators/discord/emulator.ts";
import { account, place, type Running } from "./host.ts";

let dc: DiscordEmulator;
let now: number;
let stored: Map<string, string>;
beforeEach(async () => {
  now = Date.now();
  stored = new Map();
  dc = await startDiscordEmulator({ clock: () => now });
});
afterEach(() => dc.stop());

function work() {
  const bot = dc.bot({ username: "switchy", messageContent: true });
  const ann = dc.user({ name: "Ann" });
  const guild = dc.guild({ name: "Work", members: [ann, bot] });
  return { bot, ann, guild, lobby: guild.text("lobby") };
}

/** A run of the account; each one knows what an earlier one has stored. */
async function run(bot: Bot, settings: Partial<AccountSettings> = {}, host = new TestHost("default", stored)) {
  const own = { token: bot.token, apiUrl: dc.apiUrl };
  const adapter = create({ ...account({ own }), ...settings });
  host.clock.now = () => now;
  await adapter.start(host);
  await host.untilState("ready");
  const running: Running = { adapter, host, [Symbol.asyncDispose]: () => adapter.stop() };
  return running;
}

/** The account was there before, and has seen nothing of any conversation. */
async function wasThere(bot: Bot): Promise<void> {
  await (await run(bot)).adapter.stop();
  now += 1_000;
}

it("IN-14: the first message of a channel and of a thread that came while the process was off is taken in, once", async () => {
  const { bot, ann, guild, lobby } = work();
  const forum = guild.forum("ideas");
  const open = lobby.thread("Deploys", { by: ann });
  await wasThere(bot);
  guild.text("made meanwhile").from(ann).says("in a new channel", { mention: bot });
  open.from(ann).says("in an old thread");
  forum.post("Roof garden", "the first line of a post", { by: ann });
  const all = ["in a new channel", "in an old thread", "the first line of a post"];
  {
    await using later = await run(bot);
    await later.host.until(() => later.host.texts().length === all.length, "what was missed");
    expect(later.host.texts().toSorted()).toEqual(all);
  }
  now += 1_000;
  await using again = await run(bot);
  lobby.from(ann).says("live");
  await again.host.until(() => again.host.texts().includes("live"), "the live message");
  expect(again.host.texts()).toEqual(["live"]);
});

it("IN-3, IN-14: a first message that the process took off the line and lost when it was killed is found again", async () => {
  const { bot, ann, guild, lobby } = work();
  const quiet = guild.text("quiet");
  const first = new TestHost("default", stored);
  const reached = Promise.withResolvers<void>();
  const killing = Promise.withResolvers<never>();
  first.onAccept = async (event) => {
    if (event.text !== "lost") return;
    reached.resolve();
    await killing.promise;
  };
  const killed = await run(bot, {}, first);
  quiet.from(ann).says("lost", { mention: bot });
  await reached.promise;
  // What comes later elsewhere in the guild is stored; the mark must not pass what is not.
  now += 5 * 60_000;
  lobby.from(ann).says("stored");
  lobby.from(ann).says("behind it");
  await first.until(() => first.texts().includes("behind it"), "the other messages");
  const left = new Map(stored);
  const ended = killed.adapter.stop();
  killing.reject(new Error("killed"));
  await ended;
  stored = left;
  await using later = await run(bot);
  await later.host.until(() => later.host.texts().includes("lost"), "the message that was lost");
});

it("IN-14: the very first start answers no history, and an old message is not looked for", async () => {
  const { bot, ann, guild, lobby } = work();
  lobby.from(ann).says("before the bot was ever on");
  now += 1_000;
  {
    await using first = await run(bot);
    lobby.from(ann).says("live");
    await first.host.until(() => first.host.texts().includes("live"), "the live message");
    expect(first.host.texts()).toEqual(["live"]);
  }
  guild.text("quiet").from(ann).says("more than a day ago");
  now += 25 * 3_600_000;
  guild.text("other").from(ann).says("just now");
  await using later = await run(bot);
  await later.host.until(() => later.host.texts().includes("just now"), "the new message");
  expect(later.host.texts()).toEqual(["just now"]);
});

it("IN-6, IN-14: reads only places in which someone may address the account", async () => {
  const { bot, ann, guild } = work();
  const open = guild.text("open");
  const closed = guild.text("closed");
  const hidden = guild.text("hidden");
  const thread = open.thread("Deploys", { by: ann });
  const elsewhere = dc.guild({ name: "Elsewhere", members: [ann, bot] }).text("general");
  await wasThere(bot);
  hidden.denies(bot, "ReadMessageHistory");
  for (const where of [open, closed, hidden, thread, elsewhere]) where.from(ann).says(`in ${where.id}`);
  const listed = place({
    places: new Map([
      [open.id, place()],
      [hidden.id, place()],
    ]),
  });
  const settings = { groupPolicy: "allowlist" as const, places: new Map([[guild.id, listed]]) };
  await using later = await run(bot, settings);
  await later.host.until(() => later.host.texts().length === 2, "what was missed");
  expect(later.host.texts().toSorted()).toEqual([`in ${open.id}`, `in ${thread.id}`].toSorted());
  expect(dc.calls("list_messages")).toHaveLength(2);
});

it("IN-14: of very much that was missed in one place the newest is read, and the operator is told", async () => {
  const { bot, ann, lobby } = work();
  await wasThere(bot);
  for (let count = 1; count <= 620; count += 1) lobby.from(ann).says(`line ${count}`);
  await using later = await run(bot);
  await later.host.until(() => later.host.texts().includes("line 620"), "the newest");
  const read = later.host.texts();
  expect([read.length, read[0], read[99], read[100]]).toEqual([500, "line 1", "line 100", "line 221"]);
  expect(later.host.lines.some(({ level, text }) => level === "warn" && text.includes("stays unread"))).toBe(true);
}, 20_000);

it("IN-14, DL-4: at most 200 new places of a server are read, the newest first, and a limit the platform names is kept to", async () => {
  const { bot, ann, guild } = work();
  const places = Array.from({ length: 203 }, (_, index) => guild.text(`place-${index}`));
  await wasThere(bot);
  for (const [index, where] of places.entries()) where.from(ann).says(`in ${index}`);
  dc.fails({ kind: "429", retryAfter: 0.05 }, { method: "list_messages", times: 2 });
  await using later = await run(bot);
  await later.host.until(() => later.host.texts().length === 200, "what was missed");
  expect(later.host.texts().filter((text) => /^in [012]$/.test(text))).toEqual([]);
  expect(dc.calls("list_messages")).toHaveLength(202);
  expect(later.host.lines.filter(({ level }) => level === "warn").map(({ fields }) => fields)).toEqual([
    { guild: guild.id, channels: 203, read: 200 },
  ]);
}, 20_000);

it("IN-14: how far a guild was seen is written rarely, and moves on with what is stored", async () => {
  const { bot, ann, lobby } = work();
  await wasThere(bot);
  let writes = 0;
  const host = new TestHost("default", stored);
  const { set } = host.state;
  host.state.set = (key, value) => {
    if (key.startsWith("horizon:")) writes += 1;
    return set(key, value);
  };
  await using it = await run(bot, {}, host);
  now += 10 * 60_000;
  for (let count = 0; count < 50; count += 1) lobby.from(ann).says(`line ${count}`);
  await it.host.until(() => it.host.texts().length === 50, "all of it");
  expect(writes).toBe(1);
  const horizon = stored.get([...stored.keys()].find((key) => key.startsWith("horizon:")) ?? "") ?? "";
  expect(Object.values(JSON.parse(horizon).guilds)).toEqual([idAt(now - 60_000)]);
});
