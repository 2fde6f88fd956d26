import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { create } from "../../../adapters/discord/index.ts";
import type { SendOutcome } from "../../../src/core/delivery/delivery.ts";
import { StoreError } from "../../../src/core/errors.ts";
import { TestHost } from "../../support/adapter-host.ts";
import { type DiscordEmulator, startDiscordEmulator } from "../../support/emulators/discord/emulator.ts";
import { account, routeTo, running, send, words } from "./host.ts";

let dc: DiscordEmulator;
beforeEach(async () => {
  dc = await startDiscordEmulator();
});
afterEach(() => dc.stop());

function work() {
  const bot = dc.bot({ username: "switchy", messageContent: true });
  const ann = dc.user({ name: "Ann" });
  const guild = dc.guild({ name: "Work", members: [ann, bot] });
  const channel = guild.text("general");
  return { bot, ann, guild, channel, says: channel.from(ann) };
}

describe("receiving", () => {
  it("CH-1: messages of a channel, of direct messages and of a new thread arrive in order", async () => {
    const { bot, ann, channel, says } = work();
    await using it = await running(dc, bot);
    says.says("one");
    says.says("two");
    ann.dm(bot).says("in private");
    const thread = channel.thread("Deploys", { by: ann });
    thread.from(ann).says("in the thread");
    await it.host.until(() => it.host.events.length === 4, "four messages");
    expect(it.host.texts().filter((text) => ["one", "two"].includes(text))).toEqual(["one", "two"]);
    const byText = (text: string) => it.host.events.find((event) => event.text === text);
    expect(byText("in private")?.peer).toMatchObject({ kind: "direct", id: ann.id });
    expect(byText("in the thread")?.route).toMatchObject({ to: channel.id, threadId: thread.id });
  });

  it("FC-146: a thread that was archived when the bot connected is known by asking the platform", async () => {
    const { bot, ann, channel } = work();
    const thread = channel.thread("Old", { by: ann });
    thread.archives();
    await using it = await running(dc, bot);
    thread.from(ann).says("still here");
    await it.host.until(() => it.host.texts().includes("still here"), "the message");
    expect(it.host.events.at(-1)?.route).toMatchObject({ to: channel.id, threadId: thread.id });
    expect(it.host.events.some((event) => event.threadChange?.what === "unarchived")).toBe(true);
  });

  it("FC-134: a thread that grows from a message and the embed of a link start nothing again", async () => {
    const { bot, ann, channel, says } = work();
    await using it = await running(dc, bot);
    const message = says.says("see https://example.org/x");
    channel.thread("From it", { from: message, by: ann });
    await dc.until(() => (channel.now(message)?.embeds.length === 1 ? true : undefined));
    says.says("after");
    await it.host.until(() => it.host.texts().includes("after"), "the message after");
    expect(it.host.texts()).toEqual(["see https://example.org/x", "after"]);
  });

  it("TB-6: what happens to threads, channels and the bot's membership is told with its route", async () => {
    const { bot, ann, guild, channel } = work();
    const thread = channel.thread("Deploys", { by: ann });
    const other = guild.text("other");
    await using it = await running(dc, bot);
    thread.archives();
    thread.reopens();
    thread.locks();
    thread.deletes();
    other.deletes();
    guild.kicks(bot);
    const told = () =>
      it.host.events.map((event) => `${event.threadChange?.what} ${event.route.threadId ?? event.route.to}`);
    const last = [`bot_removed ${channel.id}`, `deleted ${thread.id}`, `deleted ${other.id}`];
    await it.host.until(() => last.every((line) => told().includes(line)), "the removals");
    expect(told().filter((line) => line.endsWith(thread.id))).toEqual(
      ["archived", "unarchived", "locked", "deleted"].map((what) => `${what} ${thread.id}`),
    );
    expect(told()).toContain(`deleted ${other.id}`);
  });

  it("IN-3: a poison event is parked after three tries and does not block the ones behind it", async () => {
    const { bot, channel, says } = work();
    const host = new TestHost();
    let tries = 0;
    host.onAccept = async (event) => {
      if (event.text !== "poison") return;
      tries += 1;
      throw new Error("cannot be stored");
    };
    await using _it = await running(dc, bot, host);
    says.says("poison");
    dc.inject(bot, "MESSAGE_CREATE", { id: "77", channel_id: channel.id, content: "nobody's" });
    says.says("after");
    await host.until(() => host.texts().includes("after"), "the message after");
    expect(tries).toBe(3);
    expect(host.parked.map(({ error }) => error)).toEqual([
      "cannot be stored",
      expect.stringContaining("malformed at"),
    ]);
    expect(host.parked[0]?.identity).toMatch(/message\/0$/);
  });
});

describe("catching up", () => {
  it("IN-14, FC-079: what was written while the process was off is read again, once and in order", async () => {
    const { bot, says } = work();
    const stored = new Map<string, string>();
    const first = new TestHost("default", stored);
    {
      await using _one = await running(dc, bot, first);
      says.says("before");
      await first.until(() => [...stored.keys()].some((key) => key.startsWith("seen:")), "the mark");
    }
    says.says("missed one");
    says.says("missed two");
    const later = new TestHost("default", stored);
    await using _two = await running(dc, bot, later);
    says.says("live");
    await later.until(() => later.texts().includes("live"), "the live message");
    expect(later.texts()).toEqual(["missed one", "missed two", "live"]);
  });

  it("IN-3: the mark does not pass a message that could not be stored", async () => {
    const { bot, says } = work();
    const stored = new Map<string, string>();
    const first = new TestHost("default", stored);
    {
      await using _one = await running(dc, bot, first);
      says.says("stored");
      await first.until(() => [...stored.keys()].some((key) => key.startsWith("seen:")), "the mark");
      first.onAccept = async () => {
        throw new StoreError("busy", "the disk is full", { retryable: true });
      };
      says.says("not stored");
      await first.untilState("degraded");
    }
    const later = new TestHost("default", stored);
    await using _two = await running(dc, bot, later);
    await later.until(() => later.texts().includes("not stored"), "the message that was not stored");
  });

  it("CH-6: after an outage the account is back, with what was written meanwhile", async () => {
    const { bot, says } = work();
    await using it = await running(dc, bot);
    says.says("before");
    await it.host.until(() => it.host.events.length === 1, "the message");
    await dc.stop();
    await it.host.untilState("reconnecting");
    says.says("during the outage");
    await dc.start();
    await it.host.until(() => it.host.texts().includes("during the outage"), "the message", 20_000);
    await it.host.untilState("ready");
  }, 30_000);

  it.each([
    ["op7", { kind: "op7" } as const],
    ["an invalid session", { kind: "op9", resumable: false } as const],
    ["a cut", { kind: "cut" } as const],
  ])(
    "CH-1: %s heals by itself and nothing comes twice or is lost",
    async (_name, what) => {
      const { bot, says } = work();
      await using it = await running(dc, bot);
      says.says("before");
      await it.host.until(() => it.host.events.length === 1, "the message");
      dc.breaks(bot, what);
      says.says("meanwhile");
      await it.host.until(() => it.host.texts().includes("meanwhile"), "the message of meanwhile", 15_000);
      await it.host.untilState("ready", 15_000);
      expect(it.host.texts()).toEqual(["before", "meanwhile"]);
    },
    30_000,
  );
});

describe("readiness", () => {
  it("CH-1: a bot with two shards hears both, each conversation in its order, and is ready when both are", async () => {
    const { bot, ann, says } = work();
    bot.record.shards = 2;
    const shardOf = (id: string): number => Number((BigInt(id) >> 22n) % 2n);
    const guilds = Array.from({ length: 6 }, (_, index) =>
      dc.guild({ name: `G${index}`, members: [ann, bot], id: String((350_000_000_000n + BigInt(index)) << 22n) }),
    );
    const places = guilds.map((guild) => ({ shard: shardOf(guild.id), says: guild.text("general").from(ann) }));
    expect(new Set(places.map(({ shard }) => shard)).size).toBe(2);
    await using it = await running(dc, bot);
    expect(bot.identifies).toBe(2);
    for (const [index, place] of places.entries()) {
      for (const turn of [1, 2, 3]) place.says.says(`${index} ${turn}`);
    }
    says.says("the last");
    await it.host.until(() => it.host.events.length === 19, "what was said on both shards");
    for (const index of places.keys()) {
      const here = it.host.texts().filter((text) => text.startsWith(`${index} `));
      expect(here).toEqual([1, 2, 3].map((turn) => `${index} ${turn}`));
    }
    dc.breaks(bot, { kind: "op9", resumable: false });
    await it.host.untilState("reconnecting");
    for (const [index, place] of places.entries()) place.says.says(`missed ${index}`);
    await it.host.untilState("ready", 20_000);
    await it.host.until(() => it.host.events.length === 25, "what was missed", 15_000);
  }, 40_000);

  it("CH-6: ready is said only when the account can send, and what waited for it is not too early", async () => {
    const { bot, channel } = work();
    const host = new TestHost();
    const adapter = create(account({ own: { token: bot.token, apiUrl: dc.apiUrl } }));
    const sent = Promise.withResolvers<SendOutcome>();
    host.report = (state) => {
      if (state === "ready") sent.resolve(send(adapter, routeTo(channel.id), words("at once")));
    };
    await adapter.start(host);
    expect(await sent.promise).toMatchObject({ outcome: "sent" });
    await adapter.stop();
  });

  it("CH-1: a connection that looks open but answers no heartbeat is replaced", async () => {
    await using quick = await startDiscordEmulator({ heartbeatMs: 200 });
    const bot = quick.bot({ username: "switchy", messageContent: true });
    const ann = quick.user({ name: "Ann" });
    const says = quick
      .guild({ name: "Work", members: [ann, bot] })
      .text("general")
      .from(ann);
    await using it = await running(quick, bot);
    quick.breaks(bot, { kind: "zombie", halfOpen: false });
    says.says("does anybody hear me?");
    await it.host.until(() => it.host.texts().length === 1, "the message behind the dead connection", 15_000);
    await it.host.untilState("ready");
    expect(it.host.states.some(({ state }) => state === "reconnecting")).toBe(true);
  }, 30_000);
});

describe("trouble", () => {
  const starting = (token: string, accountId = "default") => {
    const adapter = create(account({ own: { token, apiUrl: dc.apiUrl }, accountId }));
    return adapter.start(new TestHost(accountId));
  };

  it("CH-1: a refused token names the setting for the operator to fix", async () => {
    await expect(starting("wrong.token.at-all", "second")).rejects.toMatchObject({
      decision: "fatal",
      message: expect.stringContaining("channels.discord.accounts.second.token"),
    });
  });

  it("CH-1, FC-188: a missing intent names the switch and where it is", async () => {
    const bot = dc.bot({ username: "deaf" });
    await expect(starting(bot.token)).rejects.toMatchObject({
      decision: "fatal",
      message: expect.stringContaining("Message Content intent"),
    });
  });

  it("CH-6: an unreachable platform is tried again later", async () => {
    const { bot } = work();
    await dc.stop();
    await expect(starting(bot.token)).rejects.toMatchObject({ name: "ChannelError", decision: "retry" });
  });

  it("CH-6: a token that is reset ends in failed, and the message names the setting", async () => {
    const { bot } = work();
    await using it = await running(dc, bot);
    dc.revokes(bot);
    await it.host.untilState("failed");
    expect(it.host.states.at(-1)?.error).toContain("channels.discord.token");
  });

  it("CH-6: stopping while it still connects leaves nothing running", async () => {
    const { bot } = work();
    dc.fails({ kind: "slow", ms: 400, carriedOutFirst: false }, { method: "gateway_identify" });
    const adapter = create(account({ own: { token: bot.token, apiUrl: dc.apiUrl } }));
    const begun = adapter.start(new TestHost());
    await adapter.stop();
    await expect(begun).rejects.toMatchObject({ name: "ChannelError" });
    expect(bot.isConnected).toBe(false);
  });

  it("OP-7: the token stands in no line of the log and in no state", async () => {
    const { bot, says } = work();
    await using it = await running(dc, bot);
    says.says("x");
    await dc.stop();
    await it.host.untilState("reconnecting");
    expect(inspect([it.host.states, it.host.lines], { depth: 12 })).not.toContain(bot.token);
  });
});
