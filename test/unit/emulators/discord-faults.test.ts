import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client, REST } from "discord.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TALKING_INTENTS } from "../../support/discord-client.ts";
import type { Bot, Person } from "../../support/emulators/discord/accounts.ts";
import type { Channel } from "../../support/emulators/discord/channel-places.ts";
import { type DiscordEmulator, startDiscordEmulator } from "../../support/emulators/discord/emulator.ts";
import { startRemoteDiscord } from "../../support/emulators/discord/remote.ts";

describe("Discord emulator: when the platform fails", () => {
  let dc: DiscordEmulator;
  let bot: Bot;
  let ann: Person;
  let channel: Channel;
  let rest: REST;

  async function begin(options: Parameters<typeof startDiscordEmulator>[0] = {}): Promise<void> {
    dc = await startDiscordEmulator(options);
    bot = dc.bot({ username: "tough_bot" });
    ann = dc.user({ name: "Ann" });
    channel = dc.guild({ name: "Work", members: [ann, bot] }).text("general");
    rest = new REST({ api: dc.apiUrl, retries: 0, rejectOnRateLimit: () => true }).setToken(bot.token);
  }

  const send = (content: string, to = channel.id) =>
    rest.post(`/channels/${to}/messages`, { body: { content } }) as Promise<{ id: string }>;

  beforeEach(() => begin());
  afterEach(() => dc.stop());

  test("429 with Retry-After hits as often as said, in the channel that was said", async () => {
    const other = dc.guild({ name: "Other", members: [ann, bot] }).text("other");
    const fault = dc.fails({ kind: "429", retryAfter: 7 }, { method: "create_message", channel: channel.id, times: 2 });
    await send("unharmed", other.id);
    const raw = await fetch(`${dc.apiUrl}/v10/channels/${channel.id}/messages`, {
      method: "POST",
      headers: { authorization: `Bot ${bot.token}`, "content-type": "application/json" },
      body: JSON.stringify({ content: "1" }),
    });
    expect(raw.status).toBe(429);
    expect(raw.headers.get("retry-after")).toBe("7");
    expect(await raw.json()).toEqual({ message: "You are being rate limited.", retry_after: 7, global: false });
    await expect(send("2")).rejects.toMatchObject({ route: "/channels/:id/messages", scope: "user" });
    expect(fault.hits).toBe(2);
    expect(channel.texts()).toEqual([]);
    expect(dc.calls("create_message").map((call) => call.outcome)).toEqual(["ok", "refused", "refused"]);
  });

  test("a global 429 says so", async () => {
    dc.fails({ kind: "429", retryAfter: 0.5, global: true });
    await expect(send("x")).rejects.toMatchObject({ global: true, scope: "global" });
  });

  test("server errors and any other refusal", async () => {
    dc.fails({ kind: "5xx" });
    await expect(send("x")).rejects.toMatchObject({ status: 502 });
    dc.fails({ kind: "refusal", status: 403, code: 50001, description: "Missing Access" }, { botId: bot.id });
    await expect(send("x")).rejects.toMatchObject({ code: 50001, status: 403 });
    expect(channel.texts()).toEqual([]);
  });

  test("refused and cut-before requests are not processed, cut-after ones are", async () => {
    for (const kind of ["refuse", "cutBefore", "cutAfter"] as const) {
      dc.fails({ kind }, { method: "create_message" });
      await expect(send(kind)).rejects.toThrow();
    }
    expect(channel.texts()).toEqual(["cutAfter"]);
    expect(dc.calls("create_message").map((call) => call.outcome)).toEqual(["cut", "cut"]);
  });

  test("a slow answer comes after the message is there; a slow request before", async () => {
    dc.fails({ kind: "slow", ms: 150 }, { method: "create_message" });
    const first = send("slow answer");
    await channel.botSays({ matching: "slow answer" });
    expect(dc.calls("create_message")[0]?.answeredAt).toBeUndefined();
    await first;
    dc.fails({ kind: "slow", ms: 150, carriedOutFirst: false }, { method: "create_message" });
    const asked = Date.now();
    await send("slow request");
    expect(Date.now() - asked).toBeGreaterThanOrEqual(145);
  });

  test("text instead of JSON reaches the client", async () => {
    dc.fails({ kind: "garbage", body: "<html>502 Bad Gateway</html>", status: 502 });
    await expect(send("x")).rejects.toMatchObject({ status: 502 });
    expect(channel.texts()).toEqual(["x"]);
  });

  test("the hook runs after the message is there and before the client hears of it", async () => {
    const order: string[] = [];
    dc.onAccepted(async (method, { body }) => {
      order.push(`${method} ${JSON.stringify(body)}`, ...channel.texts());
      await new Promise((resolve) => setTimeout(resolve, 30));
      order.push("hook over");
    });
    await send("once");
    order.push("answered");
    expect(order).toEqual(['create_message {"content":"once"}', "once", "hook over", "answered"]);
  });

  test("rate limits are off until asked for, then five per route and channel in five seconds, 50 in all a second", async () => {
    const free = Array.from({ length: 60 }, () => fetch(`${dc.apiUrl}/v10/gateway`));
    expect((await Promise.all(free)).every((answer) => answer.ok)).toBe(true);
    for (let i = 0; i < 10; i += 1) await send(`free ${i}`);
    await dc.stop();
    let now = 1_800_000_000_000;
    await begin({ rateLimits: true, clock: () => now });
    for (let i = 0; i < 5; i += 1) await send(`burst ${i}`);
    await expect(send("one too many")).rejects.toMatchObject({ limit: 5 });
    const headers = { authorization: `Bot ${bot.token}` };
    const url = `${dc.apiUrl}/v10/channels/${channel.id}/messages`;
    const answers = await Promise.all(Array.from({ length: 6 }, () => fetch(url, { headers })));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(answers.map((answer) => answer.headers.get("x-ratelimit-remaining"))).toEqual([
      "4",
      "3",
      "2",
      "1",
      "0",
      "0",
    ]);
    now += 5000;
    expect((await fetch(url, { headers })).headers.get("x-ratelimit-reset-after")).toBe("5");
    const paths = Array.from({ length: 50 }, (_, i) => `${dc.apiUrl}/v10/guilds/${i + 1}`);
    const many = await Promise.all(paths.map((path) => fetch(path, { headers })));
    const last = many.find((answer) => answer.status === 429);
    expect(last?.headers.get("x-ratelimit-global")).toBe("true");
  });

  test("in a process of its own it is driven by its parent, up to holding a request back before its answer", async () => {
    const remote = await startRemoteDiscord({ keepCalls: 1000 });
    const client = new Client({
      intents: TALKING_INTENTS,
      rest: { api: remote.url },
    });
    try {
      const { id, token } = await remote.do("bot", { username: "far_bot", messageContent: true });
      const user = (await remote.do("user", { name: "Ann" })).id;
      const { guild } = await remote.do("guild", { name: "Far", members: [user, id] });
      const names = ["a", "b"];
      const made = await Promise.all(names.map((name) => remote.do("text", { guild, name })));
      const places = made.map((place) => ({ ...place, user }));
      const [place] = places;
      if (place === undefined) throw new Error("no place");
      client.on("messageCreate", (message) => {
        if (message.author.id === user) void message.reply(`far ${message.content}`);
      });
      await client.login(token);
      await expect.poll(() => remote.do("connection", { bot: id })).toEqual({ connected: true, identifies: 1 });
      await remote.hold("create_message");
      await remote.do("says", { place, text: "hello" });
      const held = await remote.held();
      expect(held).toMatchObject({ method: "create_message", params: { body: { content: "far hello" } } });
      expect((await remote.do("calls", { method: "create_message" }))[0]?.answeredAt).toBeUndefined();
      await remote.release(held);
      expect(await remote.do("botSays", { place })).toMatchObject({ content: "far hello" });
      const { sent, sinceSeq } = await remote.do("load", { places, count: 20, perSecond: 400 });
      expect(sent).toBe(20);
      await expect
        .poll(async () => (await remote.do("latencies", { places, sinceSeq })).answered, { timeout: 5000 })
        .toBe(20);
      const closed = await remote.do("closedLoop", { places, rounds: 1 });
      expect(closed.messages).toBe(2);
      await expect(remote.do("says", { place: { channel: "1" }, text: "x" })).rejects.toThrow("there is no channel 1");
    } finally {
      await client.destroy();
      await remote.close();
    }
  });

  test("without a parent that speaks IPC it takes commands as lines and ends with its input", async () => {
    const script = fileURLToPath(new URL("../../support/emulators/discord/serve.ts", import.meta.url));
    const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? "null");
    expect(await next()).toEqual({
      event: "listening",
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api$/),
    });
    child.stdin.write(`${JSON.stringify({ id: 1, op: "user", args: { name: "Ann" } })}\n`);
    expect(await next()).toEqual({ id: 1, result: { id: expect.any(String) } });
    child.stdin.write(`${JSON.stringify({ id: 2, op: "dance" })}\n`);
    expect(await next()).toEqual({ id: 2, error: "there is no operation dance" });
    const ended = once(child, "exit");
    child.stdin.end();
    expect(await ended).toEqual([0, null]);
  });
});
