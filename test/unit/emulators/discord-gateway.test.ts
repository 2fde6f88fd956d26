import { once } from "node:events";
import { type Client, GatewayIntentBits } from "discord.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { clientOf, logIn, TALKING_INTENTS } from "../../support/discord-client.ts";
import type { Bot, Person } from "../../support/emulators/discord/accounts.ts";
import type { Channel } from "../../support/emulators/discord/channel-places.ts";
import { type DiscordEmulator, startDiscordEmulator } from "../../support/emulators/discord/emulator.ts";

interface Frame {
  op: number;
  t: string | null;
  s: number | null;
  d: Record<string, unknown> & { content?: string; session_id?: string };
}

/** A gateway client that does only what it is told. */
class BareClient {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];

  constructor(url: string) {
    this.socket = new WebSocket(`${url}/?v=10&encoding=json`);
    this.socket.on("message", (data) => this.frames.push(JSON.parse(String(data)) as Frame));
  }

  send(op: number, d: unknown): void {
    this.socket.send(JSON.stringify({ op, d }));
  }

  async frame(fits: (frame: Frame) => boolean): Promise<Frame> {
    await expect.poll(() => this.frames.some(fits), { timeout: 3000 }).toBe(true);
    const found = this.frames.find(fits);
    if (found === undefined) throw new Error("no such frame");
    return found;
  }

  async identify(bot: Bot, intents: number, shard: [number, number] = [0, 1]): Promise<Frame> {
    await this.frame((frame) => frame.op === 10);
    this.send(2, { token: bot.token, intents, properties: { os: "x", browser: "x", device: "x" }, shard });
    return this.frame((frame) => frame.t === "READY");
  }

  async closeCode(): Promise<number> {
    const [code] = (await once(this.socket, "close")) as [number];
    return code;
  }
}

const bitsOf = (intents: readonly number[]): number => intents.reduce((sum, bit) => sum | bit, 0);
const TALKING = bitsOf(TALKING_INTENTS);

describe("Discord emulator: the gateway", () => {
  let dc: DiscordEmulator;
  let bot: Bot;
  let ann: Person;
  let channel: Channel;
  let client: Client;
  const bare: BareClient[] = [];

  function open(): BareClient {
    const made = new BareClient(dc.gatewayUrl);
    bare.push(made);
    return made;
  }

  beforeEach(async () => {
    dc = await startDiscordEmulator({ heartbeatMs: 60 });
    bot = dc.bot({ username: "team_bot", messageContent: true });
    ann = dc.user({ name: "Ann" });
    channel = dc.guild({ name: "Work", members: [ann, bot] }).text("general");
    client = clientOf(dc);
  });

  afterEach(async () => {
    for (const one of bare.splice(0)) one.socket.terminate();
    await dc.stop();
    await client.destroy();
  });

  test("hello, heartbeats, READY, guilds; events are numbered", async () => {
    const one = open();
    const ready = await one.identify(bot, TALKING);
    expect(ready.d).toMatchObject({ v: 10, guilds: [{ unavailable: true }], application: { id: bot.id } });
    const created = await one.frame((frame) => frame.t === "GUILD_CREATE");
    expect(created.d).toMatchObject({ name: "Work", channels: [{ name: "general" }], member_count: 2 });
    expect([ready.s, created.s]).toEqual([1, 2]);
    one.send(1, 2);
    await one.frame((frame) => frame.op === 11);
    channel.from(ann).says("third");
    expect((await one.frame((frame) => frame.t === "MESSAGE_CREATE")).s).toBe(3);
  });

  test("a bad token, intents that are not switched on or unknown, a second identify: the documented close codes", async () => {
    const plain = dc.bot({ username: "plain_bot" });
    const identify = { intents: 1, properties: {} };
    const cases: [number, (one: BareClient) => void][] = [
      [4004, (one) => one.send(2, { ...identify, token: "nobody" })],
      [4014, (one) => one.send(2, { ...identify, token: plain.token, intents: GatewayIntentBits.MessageContent })],
      [4013, (one) => one.send(2, { ...identify, token: plain.token, intents: 1 << 30 })],
      [4010, (one) => one.send(2, { ...identify, token: plain.token, shard: [2, 2] })],
      [4003, (one) => one.send(3, {})],
      [4002, (one) => one.socket.send("no json")],
      [
        4005,
        (one) => {
          one.send(2, { ...identify, token: plain.token });
          one.send(2, { ...identify, token: plain.token });
        },
      ],
    ];
    for (const [code, act] of cases) {
      const one = open();
      const closed = one.closeCode();
      await one.frame((frame) => frame.op === 10);
      act(one);
      expect(await closed).toBe(code);
    }
  });

  test("CH-1: discord.js reports a disallowed intent and a bad token", async () => {
    const plain = dc.bot({ username: "plain_bot" });
    const failing = clientOf(dc);
    await expect(logIn(failing, plain)).rejects.toThrow("Used disallowed intents");
    await failing.destroy();
    dc.revokes(bot);
    await expect(client.login(bot.token)).rejects.toMatchObject({ code: "TokenInvalid" });
  });

  test("without message content the text of strangers is empty, unless the bot is mentioned or it is a direct message", async () => {
    const one = open();
    await one.identify(bot, TALKING & ~GatewayIntentBits.MessageContent);
    const from = channel.from(ann);
    from.says("hidden", { files: [{ name: "a.txt", bytes: "a" }] });
    from.says("shown", { mention: bot });
    ann.dm(bot).says("direct");
    await one.frame((frame) => frame.d?.content === "direct");
    const got = one.frames.filter((frame) => frame.t === "MESSAGE_CREATE").map((frame) => frame.d);
    expect(got.map((d) => d.content)).toEqual(["", `<@${bot.id}> shown`, "direct"]);
    expect(got[0]).toMatchObject({ attachments: [], embeds: [] });
  });

  test("events come by intent", async () => {
    const one = open();
    await one.identify(bot, GatewayIntentBits.DirectMessages);
    const asked = channel.from(ann).says("not this");
    channel.from(ann).reacts(asked, "👍");
    ann.dm(bot).says("this");
    await one.frame((frame) => frame.d?.content === "this");
    expect(one.frames.filter((frame) => frame.op === 0).map((frame) => frame.t)).toEqual(["READY", "MESSAGE_CREATE"]);
  });

  test("guilds are spread over shards; direct messages come to the first", async () => {
    const other = dc.guild({ name: "Other", members: [ann, bot], id: String((1n << 22n) + 5n) });
    const [zero, one] = [open(), open()];
    await zero.identify(bot, TALKING, [0, 2]);
    await one.identify(bot, TALKING, [1, 2]);
    await one.frame((frame) => frame.t === "GUILD_CREATE" && frame.d.id === other.id);
    ann.dm(bot).says("to the first");
    await zero.frame((frame) => frame.d?.content === "to the first");
    expect(zero.frames.some((frame) => frame.d?.id === other.id)).toBe(false);
  });

  test("a resume replays what was missed, exactly once, then says so", async () => {
    const one = open();
    const ready = await one.identify(bot, TALKING);
    const from = channel.from(ann);
    from.says("seen");
    const seen = await one.frame((frame) => frame.d?.content === "seen");
    one.socket.terminate();
    await dc.until(() => (bot.isConnected ? undefined : true));
    from.says("missed 1");
    from.says("missed 2");
    const two = open();
    await two.frame((frame) => frame.op === 10);
    two.send(6, { token: bot.token, session_id: ready.d.session_id, seq: seen.s });
    await two.frame((frame) => frame.t === "RESUMED");
    const events = two.frames.filter((frame) => frame.op === 0);
    expect(events.map((frame) => frame.d.content ?? frame.t)).toEqual(["missed 1", "missed 2", "RESUMED"]);
    const three = open();
    await three.frame((frame) => frame.op === 10);
    three.send(6, { token: bot.token, session_id: "nobody's", seq: 1 });
    expect((await three.frame((frame) => frame.op === 9)).d).toBe(false);
  });

  test("CH-1: discord.js comes back after a close, a cut, op 7, op 9 and a zombie connection, without losing a message", async () => {
    const texts: string[] = [];
    client.on("messageCreate", (message) => texts.push(message.content));
    await logIn(client, bot);
    const breaks = [
      { kind: "close", code: 4000 },
      { kind: "cut" },
      { kind: "op7" },
      { kind: "op9", resumable: true },
      { kind: "zombie" },
    ] as const;
    for (const what of breaks) {
      const back = once(client, "shardResume");
      dc.breaks(bot, what);
      channel.from(ann).says(what.kind);
      await back;
      await expect.poll(() => texts.at(-1), { timeout: 5000 }).toBe(what.kind);
    }
    expect(texts).toEqual(breaks.map((what) => what.kind));
    expect(bot.identifies).toBe(1);
  });

  test("an invalid session is identified again; it misses what came before", async () => {
    await logIn(client, bot);
    const ready = once(client, "shardReady");
    dc.breaks(bot, { kind: "op9", resumable: false });
    channel.from(ann).says("lost");
    await ready;
    expect(bot.identifies).toBe(2);
    const found = await client.channels.fetch(channel.id);
    if (found?.isTextBased() !== true) throw new Error("no text channel");
    expect([...(await found.messages.fetch({ limit: 10 })).values()].map((m) => m.content)).toEqual(["lost"]);
  }, 15_000);

  test("connections can be refused, and steps at the gateway closed", async () => {
    const fault = dc.fails({ kind: "refuse" }, { method: "gateway_connect", times: 2 });
    const closes = dc.fails({ kind: "close", code: 4000 }, { method: "gateway_resume" });
    const one = open();
    await once(one.socket, "error");
    await once(open().socket, "error");
    expect(fault.hits).toBe(2);
    await logIn(client, bot);
    const resumed = once(client, "shardResume");
    dc.breaks(bot, { kind: "cut" });
    await resumed;
    expect(closes.hits).toBe(1);
    expect(() => dc.fails({ kind: "op9", resumable: true })).toThrow("hits identify and resume only");
  });

  test("the platform goes down and comes back on the same port; the client resumes", async () => {
    const texts: string[] = [];
    client.on("messageCreate", (message) => texts.push(message.content));
    client.on("error", () => undefined);
    await logIn(client, bot);
    const { apiUrl } = dc;
    await dc.stop();
    channel.from(ann).says("while down");
    await dc.start();
    expect(dc.apiUrl).toBe(apiUrl);
    await expect.poll(() => texts, { timeout: 10_000 }).toEqual(["while down"]);
  });
});
