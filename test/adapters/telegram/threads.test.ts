import { readFileSync } from "node:fs";
import type { Update } from "grammy/types";
import { describe, expect, it } from "vitest";
import type { TelegramFact } from "../../../adapters/telegram/inbound/gestures.ts";
import { readUpdate } from "../../../adapters/telegram/inbound/inbound.ts";
import { linkToTopic } from "../../../adapters/telegram/outbound/threads.ts";
import { threadTexts } from "../../../src/core/texts/platforms/accounts.ts";
import { startTelegramEmulator } from "../../support/emulators/telegram/emulator.ts";
import { routeTo, running } from "./host.ts";

function read(update: Update, hasTopics = false): TelegramFact {
  const bot = { id: "7000000001", username: "switchy_bot", hasTopics, readsAllGroupMessages: false };
  return readUpdate(update, { bot, accountId: "default", now: 1_790_000_999_000, commandNames: new Map() });
}

function fixture(name: string): Update {
  return JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), "utf8")) as Update;
}

describe("topics", () => {
  it("TB-6: a topic that people close or open again is told with its route", () => {
    const closed = fixture("service-topic-closed");
    const place = { kind: "thread_changed", route: { to: "-1002000000222", threadId: "7" } };
    expect(read(closed)).toMatchObject({ kind: "event", event: { ...place, threadChange: { what: "locked" } } });
    const { forum_topic_closed: _, ...message } = closed.message ?? ({} as NonNullable<Update["message"]>);
    const reopened = { ...closed, message: { ...message, forum_topic_reopened: {} } } as Update;
    expect(read(reopened)).toMatchObject({ kind: "event", event: { ...place, threadChange: { what: "unarchived" } } });
  });

  it("TB-6: a bot that is blocked where it has topics has lost them all", () => {
    const event = { route: { to: "111000111", threadId: null }, threadChange: { what: "bot_removed" } };
    expect(read(fixture("member-blocked"), true)).toMatchObject({ kind: "membership", event });
    expect(read(fixture("member-blocked"), false)).toMatchObject({ kind: "membership", event: null });
  });

  it("TB-1: a topic can be made in a forum where the bot may, and in private chats of a bot with topics", async () => {
    const tg = await startTelegramEmulator();
    try {
      const plain = tg.bot({ username: "plain_bot" });
      const topical = tg.bot({ username: "topical_bot", hasTopicsEnabled: true });
      const ann = tg.user({ name: "Ann" });
      ann.dm(plain);
      ann.dm(topical);
      const may = tg.forum({ title: "May", members: [ann, plain], admins: [plain] });
      const mayNot = tg.forum({ title: "May not", members: [ann, plain] });
      const group = tg.group({ title: "Group", members: [ann, plain], supergroup: true });
      const own = (token: string) => ({ own: { botToken: token, apiRoot: tg.apiRoot } });
      await using one = await running(own(plain.token));
      await using two = await running(own(topical.token));
      const ask = async (of: typeof one, to: number) => {
        const ability = await of.adapter.capabilities.threads?.canCreate(routeTo(to), AbortSignal.timeout(10_000));
        return ability?.can === true ? "yes" : ability?.reason;
      };
      expect(await ask(one, may.id)).toBe("yes");
      expect(await ask(one, mayNot.id)).toBe(threadTexts.topicsDenied);
      expect(await ask(one, group.id)).toBe("this chat has no topics");
      expect(await ask(one, ann.id)).toMatch(/topics in private chats are off/);
      expect(await ask(two, ann.id)).toBe("yes");
    } finally {
      await tg.stop();
    }
  });

  it("TB-1: only topics of supergroups have links, and a title is no markup", () => {
    expect(linkToTopic(routeTo(-1002000000222, 7), "a <b> & c")).toEqual({
      rich: '→ <a href="https://t.me/c/2000000222/7">a &lt;b&gt; &amp; c</a>',
      plain: "→ a <b> & c: https://t.me/c/2000000222/7",
    });
    expect(linkToTopic(routeTo(111, 7), "x")).toBeNull();
  });
});
