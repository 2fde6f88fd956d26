import { readFileSync } from "node:fs";
import type { Update } from "grammy/types";
import { describe, expect, it } from "vitest";
import type { BotFacts } from "../../../adapters/telegram/address.ts";
import type { TelegramFact } from "../../../adapters/telegram/inbound/gestures.ts";
import { readUpdate } from "../../../adapters/telegram/inbound/inbound.ts";
import { type InboundEvent, identityKey } from "../../../src/core/message/inbound-event.ts";

const bot: BotFacts = { id: "7000000001", username: "switchy_bot", hasTopics: false, readsAllGroupMessages: false };
const commandNames = new Map([["export_session", "export-session"]]);

function fixture(name: string): Update {
  return JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), "utf8")) as Update;
}

function read(name: string, as: Partial<BotFacts> = {}): TelegramFact {
  return readUpdate(fixture(name), {
    bot: { ...bot, ...as },
    accountId: "default",
    now: 1_790_000_999_000,
    commandNames,
  });
}

function event(name: string, as: Partial<BotFacts> = {}): InboundEvent {
  const fact = read(name, as);
  if (fact.kind !== "event") throw new Error(`${name} is ${JSON.stringify(fact)}`);
  return fact.event;
}

const route = (to: string, threadId: string | null = null) => ({
  channel: "telegram",
  accountId: "default",
  to,
  threadId,
});

describe("what a message is", () => {
  it("IN-1: a private message becomes one event with every fact", () => {
    expect(event("dm-text")).toEqual({
      identity: {
        channel: "telegram",
        botId: "7000000001",
        conversation: "111000111",
        messageId: "42",
        kind: "message",
        version: "0",
      },
      kind: "message",
      accountId: "default",
      route: route("111000111"),
      peer: { kind: "direct", id: "111000111", label: "Ann Lee" },
      thread: { kind: "none" },
      guildId: null,
      teamId: null,
      sender: { id: "111000111", name: "Ann Lee", username: "annlee", isBot: false, isSelf: false, roleIds: [] },
      mentions: { bot: false, replyToBot: false, otherOnly: false },
      text: "hello there",
      attachments: [],
      replyTo: null,
      forwarded: false,
      albumId: null,
      target: null,
      command: null,
      fullLength: false,
      sentAt: 1_790_000_000_000,
      link: "telegram:111000111/42",
    });
  });

  it("IN-1: right-to-left text, control characters and ids beyond 32 bits pass unchanged", () => {
    const { text, sender, route: to } = event("dm-rtl-control");
    expect(text).toBe("שלום \u202Bעולם\u202C \u0007 שני");
    expect([sender.id, to.to]).toEqual(["5222333444555", "5222333444555"]);
  });

  it("FC-091: the event carries the account that heard it", () => {
    const second = readUpdate(fixture("dm-text"), { bot, accountId: "second", now: 0, commandNames });
    expect(second).toMatchObject({ event: { accountId: "second", route: { accountId: "second" } } });
  });

  it.each([
    "service-join",
    "service-topic-created",
    "service-pinned",
    "unknown-kind",
    "callback-other",
    "group-reaction-removed",
  ])("FC-055: %s never runs the agent", (name) => expect(read(name).kind).toBe("nothing"));

  it("SK-9: both service messages of a migration say from where to where", () => {
    const moved = { kind: "moved", from: "-4000111", to: "-1002000000999" };
    expect([read("service-migrate-to"), read("service-migrate-from")]).toEqual([moved, moved]);
  });

  it("FC-169: being blocked or added is the bot's own membership, no message", () => {
    const blocked = { kind: "membership", chat: "111000111", label: "Ann Lee", present: false };
    expect(read("member-blocked")).toMatchObject({ ...blocked, event: null });
    expect(read("member-added")).toMatchObject({ kind: "membership", chat: "-4000111", present: true, event: null });
  });

  it("IN-3: an update without a chat is a poison event", () => {
    expect(() => read("malformed")).toThrow();
  });
});

describe("where it stands", () => {
  it.each([
    ["group-plain", "group", "-4000111", null, { kind: "none" }],
    ["group-reply-chain", "group", "-1002000000111", null, { kind: "none" }],
    ["forum-topic", "group", "-1002000000222", "7", { kind: "topic", id: "7", label: "Deploys" }],
    ["forum-topic-reply", "group", "-1002000000222", "7", { kind: "topic", id: "7", label: null }],
    ["forum-general", "group", "-1002000000222", null, { kind: "none" }],
    ["forum-general-reply-chain", "group", "-1002000000222", null, { kind: "none" }],
    ["private-topic", "direct", "111000111", null, { kind: "none" }],
    ["channel-post", "channel", "-1003000000333", null, { kind: "none" }],
  ])("SK-9, FC-136: %s", (name, kind, to, threadId, thread) => {
    const it = event(name);
    expect(it.peer).toMatchObject({ kind, id: to });
    expect([it.route, it.thread]).toEqual([route(to, threadId), thread]);
  });

  it("SK-9: a private topic is a thread only when the bot has topics enabled", () => {
    const it = event("private-topic", { hasTopics: true });
    expect([it.route, it.thread]).toEqual([route("111000111", "9"), { kind: "thread", id: "9", label: null }]);
  });

  it.each([
    ["group-plain", "telegram:-4000111/42"],
    ["group-reply-to-bot", "https://t.me/teamroom/42"],
    ["forum-topic", "https://t.me/c/2000000222/7/42"],
    ["channel-post", "https://t.me/c/3000000333/5"],
  ])("CM-8: %s has a link for /why", (name, link) => expect(event(name).link).toBe(link));
});

describe("who is addressed", () => {
  const none = { bot: false, replyToBot: false, otherOnly: false };
  it.each([
    ["group-plain", none, "just chatting"],
    ["group-mention", { ...none, bot: true }, "what is for lunch?"],
    ["group-mention-after-emoji", { ...none, bot: true }, "🍕🍕 ask about it"],
    ["group-text-mention", { ...none, bot: true }, ", look"],
    ["group-mention-other", { ...none, otherOnly: true }, "@benny are you there?"],
    ["group-mention-both", { ...none, bot: true }, "@benny and , both of you"],
    ["group-mention-in-code", none, "see `@switchy_bot`"],
    ["group-command-own", { ...none, bot: true }, "/status full"],
    ["group-command-other", { ...none, otherOnly: true }, "/status@other_bot"],
    ["dm-mention-of-somebody", none, "remind me to write to @benny"],
    ["group-reply-to-bot", { ...none, replyToBot: true }, "why?"],
    ["forum-topic", none, "deploy it"],
    ["forum-topic-reply", { ...none, replyToBot: true }, "again"],
  ])("IN-7: %s", (name, mentions, text) => {
    const it = event(name);
    expect([it.mentions, it.text]).toEqual([mentions, text]);
  });

  it("FC-058: a name from the menu is turned back into the command's own", () => {
    expect(event("dm-command-menu-name").text).toBe("/export-session html");
  });
});

describe("who wrote", () => {
  it.each([
    ["group-anonymous-admin", { id: "-1002000000111", name: "Team (boss)", isBot: false }],
    ["group-linked-channel", { id: "-1003000000333", name: "News", isBot: false }],
    ["channel-post", { id: "-1003000000333", name: "News (Ed)", isBot: false }],
    ["group-other-bot", { id: "7000000002", name: "Other", isBot: true, isSelf: false }],
  ])("IN-4: %s", (name, sender) => expect(event(name).sender).toMatchObject(sender));

  it("IN-4: the bot's own message is known as its own", () => {
    expect(event("group-other-bot", { id: "7000000002" }).sender.isSelf).toBe(true);
  });
});

describe("what it quotes", () => {
  it("IN-10: a reply names whom and what it quotes, the chosen part when there is one", () => {
    const quoted = { messageId: "40", senderName: "Switchy", fromBot: true };
    expect(event("group-reply-to-bot").replyTo).toEqual({ ...quoted, text: "The answer is 42" });
    expect(event("group-reply-with-quote").replyTo).toEqual({ ...quoted, text: "is 42" });
  });

  it("IN-10: the message that opened a topic is no quote", () => {
    expect(event("forum-topic").replyTo).toBeNull();
  });

  it("IN-10: a reply to another chat's message keeps its words and is not from the bot", () => {
    const { replyTo } = event("group-external-reply");
    expect(replyTo).toEqual({ messageId: "7", senderName: "News", text: "big news", fromBot: false });
  });

  it("CM-8: a forwarded message says so", () => {
    expect(event("dm-forwarded").forwarded).toBe(true);
  });
});

describe("edits, reactions and buttons", () => {
  it("IN-11: an edit names the message it changes and its own version", () => {
    const edit = event("dm-edited");
    expect(edit).toMatchObject({ kind: "edit", text: "hello there, friend", sentAt: 1_790_000_050_000 });
    expect(edit.target).toBe(identityKey(event("dm-text").identity));
    expect(event("channel-post-edited").target).toBe(identityKey(event("channel-post").identity));
  });

  it("IN-2: two edits within one second are two events, the same one again is one", () => {
    const update = fixture("dm-edited");
    const keys = [update, { ...update, update_id: update.update_id + 1 }, update].map((it) => {
      const fact = readUpdate(it, { bot, accountId: "default", now: 0, commandNames });
      return fact.kind === "event" ? identityKey(fact.event.identity) : "";
    });
    expect(keys[0]).toBe(keys[2]);
    expect(keys[0]).not.toBe(keys[1]);
  });

  it("IN-15: a reaction tells what was added, by whom, to which message", () => {
    const it = event("group-reaction");
    expect(it).toMatchObject({ kind: "reaction", text: "👍", sender: { id: "111000111" } });
    expect(it.target).toBe(identityKey({ ...it.identity, kind: "message", version: "0" }));
  });

  it("IN-15: a button's data is a command in the topic of its message", () => {
    expect(event("callback-command")).toMatchObject({
      kind: "command",
      command: { name: "model", args: "fast one" },
      route: route("-1002000000222", "7"),
      sentAt: 1_790_000_999_000,
      identity: { messageId: "callback-4382bfdwdsb323b2d9" },
    });
  });
});

describe("files and other content", () => {
  it.each([
    ["dm-photo-caption", { ref: "large", name: "photo.jpg", mime: "image/jpeg", bytes: 90_000, kind: "image" }],
    ["dm-document", { ref: "doc", name: "report.pdf", mime: "application/pdf", bytes: 12_345, kind: "file" }],
    ["dm-document-image", { ref: "doci", name: "scan.png", mime: "image/png", bytes: 999, kind: "image" }],
    ["dm-voice", { ref: "voi", name: "voice.ogg", mime: "audio/ogg", bytes: 5_000, kind: "voice" }],
    ["dm-audio", { ref: "aud", name: "song.mp3", mime: "audio/mpeg", bytes: null, kind: "audio" }],
    ["dm-video", { ref: "vid", name: "video.mp4", mime: "video/mp4", bytes: 700_000, kind: "video" }],
    ["dm-video-note", { ref: "vn", name: "video-note.mp4", mime: "video/mp4", bytes: 40_000, kind: "video" }],
    ["dm-animation", { ref: "gif", name: "cat.mp4", mime: "video/mp4", bytes: 8_000, kind: "video" }],
    ["dm-sticker", { ref: "stk", name: "sticker 😀.webp", mime: "image/webp", bytes: 20_000, kind: "sticker" }],
  ])("IN-12: %s is one attachment", (name, attachment) => expect(event(name).attachments).toEqual([attachment]));

  it("IN-12: the parts of an album share an id", () => {
    const [one, two] = [event("dm-album-1"), event("dm-album-2")];
    expect([one.albumId, one.text, two.text]).toEqual(["13900000000000001", "three of them", ""]);
    expect(two.albumId).toBe(one.albumId);
  });

  it.each([
    ["dm-location", "Location: 52.52, 13.4"],
    ["dm-contact", "Contact: /reset Zed +491"],
    ["dm-poll", "Poll: Where?\n- Here\n- There"],
  ])("CM-8: %s reads as words that are never a command", (name, text) => expect(event(name).text).toBe(text));
});
