import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { run } from "@grammyjs/runner";
import { type Api, Bot as GrammyBot, HttpError } from "grammy";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Bot, Person } from "../../support/emulators/telegram/accounts.ts";
import type { Conversation } from "../../support/emulators/telegram/conversation.ts";
import { startTelegramEmulator, type TelegramEmulator } from "../../support/emulators/telegram/emulator.ts";
import { startRemoteTelegram } from "../../support/emulators/telegram/remote.ts";

describe("Telegram emulator: when the platform fails", () => {
  let tg: TelegramEmulator;
  let account: Bot;
  let ann: Person;
  let dm: Conversation;
  let api: Api;

  async function begin(options: Parameters<typeof startTelegramEmulator>[0] = {}): Promise<void> {
    tg = await startTelegramEmulator(options);
    account = tg.bot({ username: "tough_bot" });
    ann = tg.user({ name: "Ann" });
    dm = ann.dm(account);
    api = new GrammyBot(account.token, { client: { apiRoot: tg.apiRoot } }).api;
  }

  beforeEach(() => begin());
  afterEach(() => tg.stop());

  test("429 with retry_after hits as often as said, in the chat that was said", async () => {
    const bob = tg.user({ name: "Bob" }).dm(account);
    const fault = tg.fails({ kind: "429", retryAfter: 7 }, { method: "sendMessage", chat: dm.id, times: 2 });
    await api.sendMessage(bob.id, "unharmed");
    for (const text of ["1", "2"]) {
      await expect(api.sendMessage(dm.id, text)).rejects.toMatchObject({
        error_code: 429,
        parameters: { retry_after: 7 },
      });
    }
    await api.sendMessage(dm.id, "3");
    expect(fault.hits).toBe(2);
    expect(dm.texts()).toEqual(["3"]);
    expect(tg.calls("sendMessage").map((call) => call.outcome)).toEqual(["ok", "refused", "refused", "ok"]);
  });

  test("server errors and any other refusal", async () => {
    tg.fails({ kind: "5xx" });
    await expect(api.sendMessage(dm.id, "x")).rejects.toMatchObject({ error_code: 502 });
    tg.fails({ kind: "409" }, { method: "getUpdates" });
    await expect(api.getUpdates()).rejects.toMatchObject({ error_code: 409 });
    tg.fails({ kind: "refusal", code: 403, description: "Forbidden: user is deactivated" });
    await expect(api.sendMessage(dm.id, "x")).rejects.toThrow("user is deactivated");
    expect(dm.texts()).toEqual([]);
  });

  test("refused and cut-before requests are not processed, cut-after ones are", async () => {
    for (const kind of ["refuse", "cutBefore", "cutAfter"] as const) {
      tg.fails({ kind }, { method: "sendMessage" });
      await expect(api.sendMessage(dm.id, kind)).rejects.toBeInstanceOf(HttpError);
    }
    expect(dm.texts()).toEqual(["cutAfter"]);
    expect(tg.calls("sendMessage").map((call) => call.outcome)).toEqual(["cut", "cut"]);
  });

  test("a slow answer comes after the message is there; a slow request before", async () => {
    tg.fails({ kind: "slow", ms: 150 }, { method: "sendMessage" });
    const first = api.sendMessage(dm.id, "slow answer");
    await dm.botSays({ matching: "slow answer" });
    expect(tg.calls("sendMessage")[0]?.answeredAt).toBeUndefined();
    await first;
    tg.fails({ kind: "slow", ms: 150, carriedOutFirst: false }, { method: "sendMessage" });
    const asked = Date.now();
    await api.sendMessage(dm.id, "slow request");
    expect(Date.now() - asked).toBeGreaterThanOrEqual(145);
  });

  test("text instead of JSON reaches the client as a network error", async () => {
    tg.fails({ kind: "garbage", body: "<html>502 Bad Gateway</html>", status: 502 }, { method: "getUpdates" });
    await expect(api.getUpdates()).rejects.toBeInstanceOf(HttpError);
    expect(await api.getUpdates()).toEqual([]);
  });

  test("the hook runs after the message is there and before the client hears of it", async () => {
    const order: string[] = [];
    tg.onAccepted(async (method, params) => {
      order.push(`${method} ${String(params.text)}`, ...dm.texts());
      await new Promise((resolve) => setTimeout(resolve, 30));
      order.push("hook over");
    });
    await api.sendMessage(dm.id, "once");
    order.push("answered");
    expect(order).toEqual(["sendMessage once", "once", "hook over", "answered"]);
  });

  test("a second poller terminates the first with 409, and so does setWebhook", async () => {
    const first = api.getUpdates({ timeout: 30 });
    await tg.until(() => (account.isPolled ? true : undefined));
    const second = api.getUpdates({ timeout: 30 });
    await expect(first).rejects.toThrow("409: Conflict: terminated by other getUpdates request");
    await tg.until(() => (account.isPolled ? true : undefined));
    await api.setWebhook("https://localhost:1/hook");
    await expect(second).rejects.toThrow("409: Conflict: terminated by setWebhook request");
    await api.deleteWebhook();
  });

  test("a client that goes away leaves no poll behind", async () => {
    const controller = new AbortController();
    const poll = fetch(`${tg.apiRoot}/bot${account.token}/getUpdates?timeout=30`, { signal: controller.signal });
    await tg.until(() => (account.isPolled ? true : undefined));
    controller.abort();
    await expect(poll).rejects.toThrow();
    await expect.poll(() => account.isPolled).toBe(false);
    dm.says("kept");
    expect((await api.getUpdates()).map((u) => u.message?.text)).toEqual(["kept"]);
  });

  test("the platform goes down and comes back on the same port, with everything people wrote meanwhile", async () => {
    const root = tg.apiRoot;
    const bot = new GrammyBot(account.token, { client: { apiRoot: root } });
    bot.on("message:text", (ctx) => ctx.reply(`got ${ctx.message.text}`));
    await bot.init();
    const runner = run(bot, { runner: { retryInterval: 20, silent: true } });
    await tg.until(() => (account.isPolled ? true : undefined));
    await tg.stop();
    await expect(api.getMe()).rejects.toBeInstanceOf(HttpError);
    dm.says("while down");
    await tg.start();
    expect(tg.apiRoot).toBe(root);
    expect((await dm.botSays()).text).toBe("got while down");
    await tg.caughtUp(account);
    await runner.stop();
  });

  test("rate limits are off until asked for, then as documented: per chat, per group, per bot", async () => {
    for (let i = 0; i < 40; i += 1) await api.sendMessage(dm.id, `free ${i}`);
    await tg.stop();
    let now = 1_800_000_000_000;
    await begin({ rateLimits: true, clock: () => now });
    for (let i = 0; i < 5; i += 1) await api.sendMessage(dm.id, `burst ${i}`);
    await expect(api.sendMessage(dm.id, "one too many")).rejects.toMatchObject({
      error_code: 429,
      description: "Too Many Requests: retry after 1",
      parameters: { retry_after: 1 },
    });
    now += 1000;
    await api.sendMessage(dm.id, "a second later");
    const group = tg.group({ title: "Team", members: [ann, account] });
    // One a second: 20 at hand and 20 a minute more last for 29 messages.
    for (let i = 0; i < 29; i += 1, now += 1000) await api.sendMessage(group.id, `g ${i}`);
    await expect(api.sendMessage(group.id, "x")).rejects.toMatchObject({ parameters: { retry_after: 1 } });
    const people = Array.from({ length: 31 }, (_, i) => tg.user({ name: `P${i}` }).dm(account));
    const sends = await Promise.allSettled(people.map((person) => api.sendMessage(person.id, "all at once")));
    expect(sends.filter((send) => send.status === "rejected")).toHaveLength(1);
  });

  test("in a process of its own it is driven by its parent, up to holding a request back before its answer", async () => {
    const remote = await startRemoteTelegram({ keepCalls: 1000 });
    try {
      const { id, token } = await remote.do("bot", { username: "far_bot" });
      const places = await Promise.all(
        ["Ann", "Bob"].map(async (name) => ({ bot: id, user: (await remote.do("user", { name })).id })),
      );
      const [place] = places;
      if (place === undefined) throw new Error("no place");
      const bot = new GrammyBot(token, { client: { apiRoot: remote.url } });
      bot.on("message:text", (ctx) => ctx.reply(`far ${ctx.message.text}`));
      void bot.start();
      await remote.hold("sendMessage");
      await remote.do("says", { place, text: "hello" });
      const held = await remote.held();
      expect(held).toMatchObject({ method: "sendMessage", params: { text: "far hello" } });
      expect((await remote.do("calls", { method: "sendMessage" }))[0]?.answeredAt).toBeUndefined();
      await remote.release(held);
      expect(await remote.do("botSays", { place })).toMatchObject({ text: "far hello" });
      const { sent, sinceSeq } = await remote.do("load", { places, count: 40, perSecond: 400 });
      expect(sent).toBe(40);
      await remote.do("botSays", { place, text: "far message 38" });
      await expect
        .poll(async () => (await remote.do("latencies", { places, sinceSeq })).answered, { timeout: 5000 })
        .toBe(40);
      await expect(remote.do("says", { place: { chat: -1 }, text: "x" })).rejects.toThrow("there is no chat -1");
      await bot.stop();
    } finally {
      await remote.close();
    }
  });

  test("without a parent that speaks IPC it takes commands as lines and ends with its input", async () => {
    const script = fileURLToPath(new URL("../../support/emulators/telegram/serve.ts", import.meta.url));
    const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? "null");
    expect(await next()).toEqual({ event: "listening", url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
    child.stdin.write(`${JSON.stringify({ id: 1, op: "user", args: { name: "Ann" } })}\n`);
    expect(await next()).toEqual({ id: 1, result: { id: expect.any(Number) } });
    child.stdin.write(`${JSON.stringify({ id: 2, op: "dance" })}\n`);
    expect(await next()).toEqual({ id: 2, error: "there is no operation dance" });
    const ended = once(child, "exit");
    child.stdin.end();
    expect(await ended).toEqual([0, null]);
  });
});
