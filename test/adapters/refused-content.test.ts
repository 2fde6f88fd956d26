import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SendOutcome } from "../../src/core/delivery/delivery.ts";
import { startDiscordEmulator } from "../support/emulators/discord/emulator.ts";
import { startSlackEmulator } from "../support/emulators/slack/emulator.ts";
import { startTelegramEmulator } from "../support/emulators/telegram/emulator.ts";
import * as discord from "./discord/host.ts";
import * as slack from "./slack/host.ts";
import * as telegram from "./telegram/host.ts";

/** A platform that refuses what a message says, so many times, and what stands in the conversation then. */
interface Refusing {
  refuses(what: string, times: number): void;
  send(rich: string, plain: string): Promise<SendOutcome>;
  texts(): readonly string[];
  stop(): Promise<void>;
}

const DISCORD: Record<string, [number, string]> = {
  "AutoMod (200000)": [200_000, "Message was blocked by automatic moderation"],
  "harmful links (240000)": [240_000, "Message blocked by harmful links filter"],
  "an empty message (50006)": [50_006, "Cannot send an empty message"],
};
const TELEGRAM: Record<string, string> = {
  ENTITIES_TOO_LONG: "Bad Request: ENTITIES_TOO_LONG",
  "message is too long": "Bad Request: message is too long",
  MESSAGE_TOO_LONG: "Bad Request: MESSAGE_TOO_LONG",
  "can't parse entities": "Bad Request: can't parse entities: unsupported start tag",
};
const SLACK = ["invalid_blocks", "msg_too_long", "msg_blocks_too_long", "no_text"];

async function onDiscord(): Promise<Refusing> {
  const dc = await startDiscordEmulator();
  const bot = dc.bot({ username: "switchy", messageContent: true });
  const channel = dc.guild({ name: "Work", members: [dc.user({ name: "Ann" }), bot] }).text("general");
  const it = await discord.running(dc, bot);
  let sends = 0;
  return {
    refuses(what, times) {
      const [code, description] = DISCORD[what] ?? [0, ""];
      dc.fails({ kind: "refusal", status: 400, code, description }, { method: "create_message", times });
    },
    send(rich, plain) {
      const content = { kind: "message", piece: { rich, plain }, replyTo: null, private: false } as const;
      sends += 1;
      return discord.send(it.adapter, discord.routeTo(channel.id), content, { key: `k${sends}` });
    },
    texts: () => channel.texts(),
    async stop() {
      await it[Symbol.asyncDispose]();
      await dc.stop();
    },
  };
}

async function onSlack(): Promise<Refusing> {
  const sl = await startSlackEmulator();
  const app = sl.app({ name: "Switchyard" });
  const channel = sl.channel("general", { members: [sl.user({ name: "ann" }), app] });
  const it = await slack.running(slack.socketAccount(sl, app));
  let sends = 0;
  return {
    refuses: (error, times) => void sl.fails({ kind: "refusal", error }, { method: "chat.postMessage", times }),
    send(rich, plain) {
      const content = { kind: "message", piece: { rich, plain }, replyTo: null, private: false } as const;
      sends += 1;
      return slack.send(it.adapter, slack.routeTo(channel.id), content, { key: `k${sends}` });
    },
    texts: () => channel.texts(),
    async stop() {
      await it[Symbol.asyncDispose]();
      await sl.stop();
    },
  };
}

async function onTelegram(): Promise<Refusing> {
  const tg = await startTelegramEmulator();
  const bot = tg.bot({ username: "switchy_bot" });
  const ann = tg.user({ name: "Ann" });
  const group = tg.group({ title: "Work", members: [ann, bot] });
  const it = await telegram.running({ own: { botToken: bot.token, apiRoot: tg.apiRoot } });
  return {
    refuses: (what, times) =>
      void tg.fails(
        { kind: "refusal", code: 400, description: TELEGRAM[what] ?? "" },
        { method: "sendMessage", times },
      ),
    send: (rich, plain) => telegram.send(it.adapter, telegram.routeTo(group.id), telegram.words(rich, plain)),
    texts: () => tg.messages(group).map((message) => message.text ?? ""),
    async stop() {
      await it[Symbol.asyncDispose]();
      await tg.stop();
    },
  };
}

describe.each([
  ["Discord", onDiscord, Object.keys(DISCORD)],
  ["Slack", onSlack, SLACK],
  ["Telegram", onTelegram, Object.keys(TELEGRAM)],
] as const)("a refusal of the content on %s", (_name, start, refusals) => {
  let it_: Refusing;
  beforeAll(async () => {
    it_ = await start();
  });
  afterAll(() => it_.stop());

  it.each(refusals)("FC-220: %s: plain, then in halves, then not at all", async (what) => {
    const before = it_.texts().length;
    const said = (): readonly string[] => it_.texts().slice(before);
    it_.refuses(what, 1);
    expect(await it_.send("a", "only plain words")).toMatchObject({ outcome: "sent" });
    expect(said()).toEqual(["only plain words"]);
    it_.refuses(what, 2);
    const halves = await it_.send("b", "the first half. the second half.");
    expect(halves).toMatchObject({ outcome: "sent", messageIds: [expect.any(String), expect.any(String)] });
    expect(said().slice(1)).toEqual(["the first half.", "the second half."]);
    it_.refuses(what, 3);
    const one = await it_.send("c", "it is secret. but this can be.");
    expect(one).toMatchObject({ outcome: "failed", content: true, gone: false });
    expect(said().slice(3)).toEqual(["but this can be."]);
  });
});
