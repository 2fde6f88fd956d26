import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { WebSocketServer } from "ws";
import { keepSession } from "../../../adapters/discord/missed/missed-direct.ts";
import { replay } from "../../../adapters/discord/missed/replay.ts";
import { TestHost } from "../../support/adapter-host.ts";
import { type DiscordEmulator, startDiscordEmulator } from "../../support/emulators/discord/emulator.ts";
import { running } from "./host.ts";

let dc: DiscordEmulator;
let stored: Map<string, string>;
beforeEach(async () => {
  stored = new Map();
  dc = await startDiscordEmulator();
});
afterEach(() => dc.stop());

function people() {
  const bot = dc.bot({ username: "switchy", messageContent: true });
  const ann = dc.user({ name: "Ann" });
  dc.guild({ name: "Work", members: [ann, bot] });
  return { bot, ann, ben: dc.user({ name: "Ben" }) };
}

const later = (): TestHost => new TestHost("default", stored);
const KEY = "gateway-session";
const keptSeq = (): number => (stored.has(KEY) ? JSON.parse(stored.get(KEY) ?? "").seq : 0);
const missedLines = (host: TestHost): number =>
  host.lines.filter(({ text }) => text.includes("first direct message of the time before")).length;

/** An account was there once; nobody has ever written to it. */
async function wasThere(bot: ReturnType<typeof people>["bot"]): Promise<void> {
  const host = later();
  await using _it = await running(dc, bot, host);
  await host.until(() => stored.has(KEY), "the session to be kept");
}

it("IN-14: a first direct message that comes while the process is off is taken in, once, for no login more", async () => {
  const { bot, ann, ben } = people();
  await wasThere(bot);
  ann.dm(bot).says("hello for the first time");
  ann.dm(bot).says("and more");
  const host = later();
  {
    await using _two = await running(dc, bot, host);
    await host.until(() => host.texts().length === 2, "what was missed");
    const before = keptSeq();
    ben.dm(bot).says("live");
    await host.until(() => host.texts().length === 3 && keptSeq() > before, "the live message, and its mark");
    expect(host.texts()).toEqual(["hello for the first time", "and more", "live"]);
  }
  const third = later();
  await using _three = await running(dc, bot, third);
  ben.dm(bot).says("once more");
  await third.until(() => third.texts().includes("once more"), "the live message");
  expect(third.texts()).toEqual(["once more"]);
  expect([bot.identifies, missedLines(host), missedLines(third)]).toEqual([3, 0, 0]);
});

it("IN-3, IN-14: a first direct message that was lost with the process before it was stored is heard again", async () => {
  const { bot, ann, ben } = people();
  await wasThere(bot);
  const first = later();
  const reached = Promise.withResolvers<void>();
  const killing = Promise.withResolvers<never>();
  first.onAccept = async (event) => {
    if (event.text !== "lost") return;
    reached.resolve();
    await killing.promise;
  };
  const { adapter } = await running(dc, bot, first);
  ann.dm(bot).says("lost");
  await reached.promise;
  ben.dm(bot).says("stored");
  await first.until(() => first.texts().includes("stored"), "the other message");
  const ended = adapter.stop();
  killing.reject(new Error("killed"));
  await ended;
  const host = later();
  await using _two = await running(dc, bot, host);
  await host.until(() => host.texts().includes("lost"), "the message that was lost");
});

it("IN-3: the session kept for the next run says only what was stored when it is written, and nothing after a stop", async () => {
  const host = later();
  const stopping = new AbortController();
  const kept = keepSession({ host, token: "bot.x.y", signal: stopping.signal });
  const asked: PromiseWithResolvers<void>[] = [];
  const storing = (): Promise<void> => {
    const gate = Promise.withResolvers<void>();
    asked.push(gate);
    return gate.promise;
  };
  kept.note({ t: "READY", s: 1, d: { session_id: "s", resume_gateway_url: "ws://127.0.0.1:1" } }, 0);
  kept.begin(storing);
  const first = kept.save();
  await vi.waitUntil(() => asked.length === 1);
  kept.note({ t: "MESSAGE_CREATE", s: 2, d: {} }, 0);
  expect(keptSeq()).toBe(0);
  asked[0]?.resolve();
  await first;
  expect(keptSeq()).toBe(1);
  kept.note({ t: "MESSAGE_CREATE", s: 3, d: {} }, 0);
  kept.note({ t: "MESSAGE_CREATE", s: 90, d: {} }, 1);
  await vi.waitUntil(() => asked.length === 2, { timeout: 3_000 });
  stopping.abort();
  asked[1]?.resolve();
  await asked[1]?.promise;
  kept.end();
  expect(keptSeq()).toBe(1);
});

it("IN-14: one of two runs' sessions is always connected", async () => {
  const { bot, ann } = people();
  await wasThere(bot);
  dc.fails({ kind: "slow", ms: 400, carriedOutFirst: false }, { method: "gateway_identify" });
  const host = later();
  const starting = running(dc, bot, host);
  await dc.until(() => (bot.isConnected ? true : undefined));
  expect(bot.identifies).toBe(1);
  ann.dm(bot).says("in between");
  await using _two = await starting;
  await host.until(() => host.texts().includes("in between"), "the message");
  expect(host.texts()).toEqual(["in between"]);
});

it("IN-14, CH-5: a slow replay does not hold up the start, and is still heard", async () => {
  const { bot, ann } = people();
  await wasThere(bot);
  ann.dm(bot).says("hello");
  dc.fails({ kind: "slow", ms: 1_500, carriedOutFirst: false }, { method: "gateway_resume" });
  const host = later();
  await using _two = await running(dc, bot, host);
  expect(host.texts()).toEqual([]);
  await host.until(() => host.texts().includes("hello"), "what was missed");
});

it("IN-14: a first direct message of an outage is heard although the library logs in afresh after it", async () => {
  const { bot, ann, ben } = people();
  const host = later();
  await using _it = await running(dc, bot, host);
  await host.until(() => stored.has(KEY), "the session to be kept");
  await dc.stop();
  await host.untilState("reconnecting");
  ann.dm(bot).says("hello for the first time");
  // Long enough that a try to connect again fails: the library then forgets its session.
  await setTimeout(1_200);
  await dc.start();
  await host.until(() => host.texts().includes("hello for the first time"), "what was missed", 30_000);
  ben.dm(bot).says("live");
  await host.until(() => host.texts().includes("live"), "the live message");
  expect(host.texts()).toEqual(["hello for the first time", "live"]);
});

it("IN-14: when Discord has forgotten the session, the account starts all the same and says once what may be missed", async () => {
  const { bot, ann } = people();
  await wasThere(bot);
  bot.record.sessions.clear();
  const host = later();
  await using _two = await running(dc, bot, host);
  await host.until(() => missedLines(host) === 1, "the line for the operator");
  ann.dm(bot).says("live");
  await host.until(() => host.texts().includes("live"), "the live message");
  expect([missedLines(host), bot.identifies]).toEqual([1, 2]);
});

it("FC-143, IN-14: unreadable frames end the replay and nothing else", async () => {
  const gateway = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(gateway, "listening");
  gateway.on("connection", (socket) => socket.send("no frame"));
  const { port } = gateway.address() as AddressInfo;
  const host = later();
  const old = replay({ id: "s", url: `ws://127.0.0.1:${port}`, seq: 1 }, { token: "bot.x.y", log: host.log });
  await old.done;
  expect(missedLines(host)).toBe(1);
  await once(gateway.clients.values().next().value ?? gateway, "close");
  gateway.close();
});

it("IN-14: another bot's session is not taken up", async () => {
  const { bot } = people();
  await wasThere(bot);
  const other = dc.bot({ username: "other", messageContent: true });
  const host = later();
  await using _two = await running(dc, other, host);
  await host.until(() => !stored.get(KEY)?.includes(bot.token.split(".")[0] ?? ""), "its own session");
  expect([missedLines(host), [...bot.record.sessions].some(({ wire }) => wire !== null)]).toEqual([0, false]);
});
