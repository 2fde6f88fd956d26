import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreError } from "../../../src/core/errors.ts";
import { TestHost } from "../../support/adapter-host.ts";
import { startTelegramEmulator, type TelegramEmulator } from "../../support/emulators/telegram/emulator.ts";
import { routeTo, running, send, sentIds, words } from "./host.ts";

let tg: TelegramEmulator;
beforeEach(async () => {
  tg = await startTelegramEmulator();
});
afterEach(() => tg.stop());

const own = (token: string) => ({ botToken: token, apiRoot: tg.apiRoot });

describe("polling", () => {
  it("CH-3: what people write arrives in the order of their chat, and the account is ready", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    const chat = tg.user({ name: "Ann" }).dm(bot);
    chat.says("before the start");
    await using it = await running({ own: own(bot.token) });
    await it.host.untilState("ready");
    chat.says("one");
    chat.says("two");
    await it.host.until(() => it.host.events.length === 3, "three messages");
    expect(it.host.texts()).toEqual(["before the start", "one", "two"]);
    await tg.caughtUp(bot);
  });

  it("FC-076: the offset does not pass a slow update of one chat, though a later one is stored", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    const [ann, ben] = [tg.user({ name: "Ann" }), tg.user({ name: "Ben" })];
    const host = new TestHost();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    host.onAccept = async (event) => {
      if (event.sender.name === "Ann") await held;
    };
    ann.dm(bot).says("slow");
    ben.dm(bot).says("quick");
    await using it = await running({ own: own(bot.token) }, host);
    await host.until(() => host.texts().includes("quick"), "the quick one");
    // A whole call to the platform and back: a poll that confirmed too early would have arrived before it.
    sentIds(await send(it.adapter, routeTo(ben.id), words("on it")));
    expect(bot.pendingUpdates).toBe(2);
    release();
    await tg.caughtUp(bot);
    expect(host.texts()).toEqual(["quick", "slow"]);
  });

  it("IN-3: a store that is away holds everything, and nothing is lost or doubled when it is back", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    const host = new TestHost();
    let away = true;
    host.onAccept = async () => {
      if (away) throw new StoreError("busy", "the disk is full", { retryable: true });
    };
    const chat = tg.user({ name: "Ann" }).dm(bot);
    chat.says("one");
    chat.says("two");
    await using it = await running({ own: own(bot.token) }, host);
    await host.untilState("degraded");
    expect([host.parked, bot.pendingUpdates]).toEqual([[], 2]);
    away = false;
    await tg.caughtUp(bot);
    expect(it.host.texts()).toEqual(["one", "two"]);
    expect(host.now).toBe("ready");
  });

  it("IN-3: a poison event is parked after three tries and does not block the ones behind it", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    const host = new TestHost();
    let tries = 0;
    host.onAccept = async (event) => {
      if (event.text !== "poison") return;
      tries += 1;
      throw new Error("cannot be stored");
    };
    const chat = tg.user({ name: "Ann" }).dm(bot);
    chat.says("poison");
    tg.inject(bot, { message: { message_id: 3, date: 1, text: "no chat at all" } });
    chat.says("after");
    await using it = await running({ own: own(bot.token) }, host);
    await tg.caughtUp(bot);
    expect(it.host.texts()).toEqual(["after"]);
    expect(tries).toBe(3);
    expect(host.parked.map((parked) => [parked.identity.split("/")[2], parked.raw.includes("no chat")]).sort()).toEqual(
      [
        [expect.any(String), false],
        ["event", true],
      ],
    );
    expect(host.parked.find((parked) => parked.raw.includes("poison"))?.error).toBe("cannot be stored");
  });

  it("FC-077: another bot under the same account hears its own low update ids", async () => {
    const host = new TestHost();
    const first = tg.bot({ username: "first_bot" });
    tg.inject(first, { update_id: 900_000_000, purchased_paid_media: {} });
    await using one = await running({ own: own(first.token) }, host);
    await tg.caughtUp(first);
    await one.adapter.stop();
    const second = tg.bot({ username: "second_bot" });
    tg.user({ name: "Ann" }).dm(second).says("hello second");
    await using _two = await running({ own: own(second.token) }, host);
    await host.until(() => host.texts().includes("hello second"), "the second bot's message");
  });

  it("IN-14: a stop confirms what is stored, so a restart gets nothing twice", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    const chat = tg.user({ name: "Ann" }).dm(bot);
    chat.says("one");
    await using it = await running({ own: own(bot.token) });
    await it.host.until(() => it.host.events.length === 1, "the message");
    await it.adapter.stop();
    expect(bot.pendingUpdates).toBe(0);
    chat.says("while it was off");
    const later = new TestHost();
    await it.adapter.start(later);
    await later.until(() => later.events.length === 1, "the message of meanwhile");
    expect(later.texts()).toEqual(["while it was off"]);
  });

  it("CM-3: a pressed button is answered at once and its command arrives", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    const ann = tg.user({ name: "Ann" });
    const id = "4000000000000";
    const chat = ann.dm(bot);
    await using it = await running({ own: own(bot.token) });
    const message = chat.says("x");
    tg.inject(bot, {
      callback_query: {
        id,
        from: ann.user,
        message: { ...message, from: bot.user },
        chat_instance: "1",
        data: "/model fast",
      },
    });
    await it.host.until(() => it.host.events.some((event) => event.kind === "command"), "the command");
    await tg.until(() => tg.calls("answerCallbackQuery")[0]);
    expect(it.host.events.at(-1)?.command).toEqual({ name: "model", args: "fast" });
  });

  it("SK-9: an upgraded group is reported by both of its service messages, and they are no messages", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    const group = tg.group({ title: "Team", members: [tg.user({ name: "Ann" }), bot] });
    await using it = await running({ own: own(bot.token) });
    const upgraded = tg.migrate(group);
    await it.host.until(() => it.host.moves.length === 2, "both messages");
    const move = { from: String(group.id), to: String(upgraded.id) };
    expect([it.host.moves, it.host.events]).toEqual([[move, move], []]);
  });

  it("FC-091: one group heard by two bots is two conversations, and each bot answers as itself", async () => {
    const [one, two] = [tg.bot({ username: "one_bot" }), tg.bot({ username: "two_bot" })];
    const ann = tg.user({ name: "Ann" });
    const group = tg.group({ title: "Team", members: [ann, one, two] });
    await using a = await running({ own: own(one.token), accountId: "one" });
    await using b = await running({ own: own(two.token), accountId: "two" });
    group.from(ann).says("@one_bot and @two_bot, hello");
    for (const it of [a, b]) {
      await it.host.until(() => it.host.events.length === 1, "the message");
      const route = it.host.events[0]?.route;
      if (route === undefined) throw new Error("no event");
      expect(route).toMatchObject({ to: String(group.id), accountId: it.host.accountId });
      sentIds(await send(it.adapter, route, words(`from ${it.host.accountId}`)));
    }
    const answers = tg.messages(group).filter((message) => message.from?.is_bot === true);
    expect(answers.map((m) => [m.from?.username, m.text])).toEqual([
      ["one_bot", "from one"],
      ["two_bot", "from two"],
    ]);
  });

  it("FC-112: a place that needs no mention is warned about when privacy mode withholds its messages", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    const place = { enabled: true, requireMention: false, allowFrom: null, roles: null };
    const places = new Map([["-100", place as never]]);
    await using it = await running({ own: own(bot.token), places });
    const warned = it.host.lines.filter((line) => line.level === "warn");
    expect(warned.map((line) => line.text)).toEqual([expect.stringContaining("privacy mode is on")]);
  });
});

describe("trouble", () => {
  it("CH-6: a refused token names the setting for the operator to fix", async () => {
    const started = running({ own: own("1:wrong"), accountId: "second" });
    await expect(started).rejects.toMatchObject({
      decision: "fatal",
      message: expect.stringContaining("channels.telegram.accounts.second.botToken"),
    });
  });

  it("CH-6: an unreachable platform is tried again later", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    await tg.stop();
    await expect(running({ own: own(bot.token) })).rejects.toMatchObject({ name: "ChannelError", decision: "retry" });
  });

  it("FC-074: another poller is reported with its likely cause, and polling goes on when it is gone", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    await using it = await running({ own: own(bot.token) });
    await it.host.untilState("ready");
    const fault = tg.fails({ kind: "409" }, { method: "getUpdates", times: 3 });
    tg.user({ name: "Ann" }).dm(bot).says("hello");
    await it.host.untilState("reconnecting");
    expect(it.host.states.at(-1)?.error).toContain("another poller");
    await it.host.until(() => it.host.now === "ready" && fault.hits === 3, "the end of the conflict", 12_000);
    await tg.caughtUp(bot);
    expect(it.host.texts()).toEqual(["hello"]);
  });

  it("FC-148: a webhook left over from elsewhere is removed and what waited for it arrives", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    bot.record.webhook = { url: "https://example.org/hook", secretToken: null, maxConnections: 40, lastError: null };
    tg.user({ name: "Ann" }).dm(bot).says("kept");
    await using it = await running({ own: own(bot.token) });
    await it.host.until(() => it.host.texts().includes("kept"), "the message kept for the webhook");
    expect(it.host.states.some(({ error }) => error?.includes("webhook"))).toBe(true);
  });

  it("CH-6: a revoked token ends in failed, and the message names the setting", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    await using it = await running({ own: own(bot.token) });
    await it.host.untilState("ready");
    tg.revokes(bot);
    tg.user({ name: "Ann" }).dm(bot).says("x");
    await it.host.untilState("failed");
    expect(it.host.states.at(-1)?.error).toContain("channels.telegram.botToken");
  });

  it("CH-6: after an outage the account is back within 10 s, with what was written meanwhile", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    const chat = tg.user({ name: "Ann" }).dm(bot);
    await using it = await running({ own: own(bot.token) });
    await it.host.untilState("ready");
    await tg.stop();
    await it.host.untilState("reconnecting");
    chat.says("during the outage");
    await tg.start();
    await it.host.until(() => it.host.texts().includes("during the outage"), "the message", 10_000);
    expect(it.host.now).toBe("ready");
  });

  it("CH-6: a poll that is never answered is given up, and the account recovers within 10 s", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    tg.fails({ kind: "slow", ms: 30_000, carriedOutFirst: false }, { method: "getUpdates" });
    tg.user({ name: "Ann" }).dm(bot).says("hello?");
    await using it = await running({ own: own(bot.token) });
    await it.host.until(() => it.host.texts().includes("hello?"), "the message behind the dead poll", 10_500);
  });

  it("CH-6: stopping while it still connects leaves nothing running", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    await using it = await running({ own: own(bot.token) });
    tg.fails({ kind: "slow", ms: 300 }, { method: "getMe" });
    const starting = it.adapter.start(new TestHost());
    await it.adapter.stop();
    await expect(starting).rejects.toMatchObject({ name: "ChannelError" });
    expect(bot.isPolled).toBe(false);
  });

  it("OP-7: the token stands in no line of the log and in no state", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    await using it = await running({ own: own(bot.token) });
    await it.host.untilState("ready");
    await tg.stop();
    await it.host.untilState("reconnecting");
    const said = inspect([it.host.states, it.host.lines], { depth: 12 });
    expect(said).not.toContain(bot.token);
  });
});
