import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Place } from "../../../adapters/discord/address.ts";
import { readAsked, readCommand } from "../../../adapters/discord/calls/interactions.ts";
import { shapes } from "../../../adapters/discord/inbound/content.ts";
import type { DiscordFact, Reading } from "../../../adapters/discord/inbound/fact.ts";
import { readAddressed, readDeletion, readEdit, readMessage } from "../../../adapters/discord/inbound/inbound.ts";
import {
  placeAsTold,
  placeChange,
  readThreadUpdate,
  threadState,
} from "../../../adapters/discord/inbound/place-changes.ts";
import type { InboundEvent } from "../../../src/core/message/inbound-event.ts";

const BOT = "900000000000000001";
const GUILD = "300000000000000001";
const GENERAL = "400000000000000001";
const NOW = 1_790_000_000_000;

interface Packet {
  readonly t: string;
  readonly d: Record<string, unknown> & { readonly id: string; readonly channel_id: string };
}

function fixture(name: string): Packet {
  return JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), "utf8")) as Packet;
}

const general: Place = {
  id: GENERAL,
  kind: "channel",
  name: "general",
  guildId: GUILD,
  parent: null,
  recipient: null,
  botRoleId: null,
};

function placeOf(name: string): Place {
  const { channel_id: id } = fixture(name).d;
  if (name.startsWith("dm") || name.endsWith("dm"))
    return {
      ...general,
      id,
      kind: "direct",
      name: null,
      guildId: null,
      recipient: { id: "100000000000000001", name: "Ann" },
    };
  if (id === GENERAL) return general;
  const forum = name.startsWith("forum");
  const parent = forum
    ? { id: "400000000000000002", name: "ideas", holdsMessages: false }
    : { id: GENERAL, name: "general", holdsMessages: true };
  return { ...general, id, kind: "thread", name: "Deploys", parent };
}

function reading(place: Place): Reading {
  return {
    bot: { id: BOT, username: "switchy", applicationId: BOT },
    accountId: "default",
    place,
    nameOf: () => null,
    now: NOW,
  };
}

function read(name: string, place = placeOf(name)): DiscordFact {
  const { t, d } = fixture(name);
  if (t === "MESSAGE_CREATE") return readMessage(shapes.message(d), reading(place));
  if (t === "MESSAGE_UPDATE") return readEdit(shapes.message(d), reading(place));
  return readDeletion(shapes.deletion(d).id, reading(place));
}

function eventOf(fact: DiscordFact): InboundEvent {
  if (fact.kind !== "event") throw new Error(`no event: ${fact.why}`);
  return fact.event;
}

const route = (to: string, threadId: string | null = null) => ({
  channel: "discord",
  accountId: "default",
  to,
  threadId,
});
const addressed = (bot: boolean, replyToBot = false, otherOnly = false) => ({ bot, replyToBot, otherOnly });

describe("IN-1: messages", () => {
  it.each([
    ["dm-text", { text: "hello @Ben (100000000000000002)", mentions: addressed(false), guildId: null }],
    ["guild-plain", { text: "good morning", mentions: addressed(false), guildId: GUILD }],
    ["guild-mention", { text: "what is up?", mentions: addressed(true) }],
    ["guild-mention-other", { mentions: addressed(false, false, true) }],
    ["guild-everyone", { text: "@everyone lunch", mentions: addressed(false) }],
    ["guild-reply-to-bot", { text: "and then?", mentions: addressed(false, true) }],
    // FC-083: a reply of another bot pings, but says nothing to this one.
    ["guild-reply-by-bot", { mentions: addressed(false, false), sender: { isBot: true, isSelf: false } }],
    ["guild-bot-mention", { mentions: addressed(true), sender: { isBot: true } }],
    ["guild-webhook", { text: "relayed", sender: { id: "500000000000000001", isBot: true, isSelf: false } }],
    ["guild-embed-only", { text: "Build failed\nmain is red\nJob: test" }],
    ["guild-poll", { text: "Poll: Lunch?\n- Yes\n- No" }],
    [
      "guild-forward",
      { text: "", forwarded: true, quotes: [{ text: `the original <@${BOT}>` }], mentions: addressed(false) },
    ],
    ["guild-sticker", { text: "", attachments: [{ kind: "sticker", name: "wave.png" }] }],
    ["guild-voice", { attachments: [{ kind: "voice", mime: "audio/ogg" }] }],
  ])("IN-1: %s", (name, expected) => {
    const event = eventOf(read(name));
    expect(event).toMatchObject({
      kind: "message",
      thread: { kind: "none" },
      target: null,
      command: null,
      ...expected,
    });
    expect(event.identity).toEqual({
      channel: "discord",
      botId: BOT,
      conversation: event.route.to,
      messageId: fixture(name).d.id,
      kind: "message",
      version: "0",
    });
  });

  it.each([
    ["guild-own", "own message"],
    ["guild-own-webhook", "own message"],
    ["guild-join", "service message"],
    ["thread-starter", "service message"],
    ["guild-nothing", "without content"],
    ["guild-link-embed", "no person edited"],
  ])("IN-4, FC-134, FC-164: %s starts nothing", (name, why) => {
    expect(read(name)).toMatchObject({ kind: "nothing", why: expect.stringContaining(why) });
  });

  it("SK-7: direct messages are known by the person and answered in their own channel", () => {
    const event = eventOf(read("dm-text"));
    expect(event.peer).toEqual({ kind: "direct", id: "100000000000000001", label: "Ann" });
    expect(event.route).toEqual(route(fixture("dm-text").d.channel_id));
  });

  it("SK-7, FC-043, FC-127: a thread stands under its parent, whose id and guild are in every event of it", () => {
    const event = eventOf(read("thread-message"));
    const thread = fixture("thread-message").d.channel_id;
    expect(event).toMatchObject({
      peer: { kind: "channel", id: GENERAL, label: "general" },
      guildId: GUILD,
      thread: { kind: "thread", id: thread, label: "Deploys" },
      route: route(GENERAL, thread),
    });
    expect(event.link).toBe(`https://discord.com/channels/${GUILD}/${thread}/${event.identity.messageId}`);
  });

  it("SK-5, SK-7: a forum's post is a thread whose parent holds no messages", () => {
    const event = eventOf(read("forum-post"));
    expect(event.thread).toMatchObject({ kind: "thread", parentHoldsNoMessages: true });
    expect(event.route).toEqual(route("400000000000000002", fixture("forum-post").d.channel_id));
  });

  it("IN-7: a mention of the bot's own role is a mention of the bot", () => {
    const role = (fixture("guild-mention-role").d.mention_roles as string[])[0] ?? "";
    expect(eventOf(read("guild-mention-role", { ...general, botRoleId: role }))).toMatchObject({
      text: "hello",
      mentions: addressed(true),
    });
    expect(eventOf(read("guild-mention-role")).mentions).toEqual(addressed(false, false, true));
  });

  it("IN-12: attachments carry address, name, type and size", () => {
    expect(eventOf(read("guild-attachment")).attachments).toMatchObject([
      { ref: expect.stringMatching(/^https:/), name: "notes.txt", mime: "text/plain", bytes: 5, kind: "file" },
      { name: "p.png", mime: "image/png", kind: "image" },
    ]);
  });

  it("IN-10: a quoted message comes with its writer and words, a deleted one without", () => {
    expect(eventOf(read("guild-reply-to-bot")).replyTo).toMatchObject({
      senderName: "switchy",
      text: "an answer",
      fromBot: true,
    });
    const { d } = fixture("guild-reply-to-bot");
    const fact = readMessage(shapes.message({ ...d, referenced_message: null }), reading(general));
    expect(eventOf(fact).replyTo).toMatchObject({ text: "", fromBot: false });
  });

  it("IN-2: the same message from the history, without guild and membership, has the same identity", () => {
    const { guild_id: _g, member: _m, ...d } = fixture("guild-plain").d;
    const live = eventOf(read("guild-plain"));
    const history = eventOf(readMessage(shapes.message(d), reading(general)));
    expect(history.identity).toEqual(live.identity);
    expect(history.guildId).toBe(GUILD);
  });

  it("IN-3: a malformed message is parked and creates no session", () => {
    const { author: _, ...d } = fixture("guild-plain").d;
    expect(() => shapes.message(d)).toThrow(/author/);
    expect(() => shapes.message({ ...d, author: { id: 5, username: "x" } })).toThrow(/author.id/);
  });
});

describe("IN-11: edits and deletions", () => {
  it("IN-11: an edit names its message and is told apart by its time", () => {
    const event = eventOf(read("guild-edited"));
    const { id, edited_timestamp: at } = fixture("guild-edited").d;
    expect(event).toMatchObject({ kind: "edit", text: "final", target: `discord/${BOT}/${GENERAL}/${id}/message/0` });
    expect(event.identity.version).toBe(String(Date.parse(String(at))));
  });

  it.each([["guild-deleted"], ["dm-deleted"]])("IN-11: %s names its message", (name) => {
    const { id, channel_id: channel } = fixture(name).d;
    expect(eventOf(read(name))).toMatchObject({ kind: "delete", target: `discord/${BOT}/${channel}/${id}/message/0` });
  });
});

describe("TB-6: threads", () => {
  const inThread = reading(placeOf("thread-message"));
  const changed = (name: string, before: "open" | "archived" | "locked" | null): string | null => {
    const fact = readThreadUpdate(before, threadState(shapes.thread(fixture(name).d)), inThread);
    return fact.kind === "event" ? (fact.event.threadChange?.what ?? null) : null;
  };

  it("TB-6: archived, locked and open again are told once, with the thread's route", () => {
    expect(changed("thread-archived", "open")).toBe("archived");
    expect(changed("thread-archived", "archived")).toBeNull();
    expect(changed("thread-locked", "open")).toBe("locked");
    expect(changed("thread-reopened", "archived")).toBe("unarchived");
    expect(changed("thread-reopened", null)).toBe("unarchived");
    expect(changed("thread-reopened", "open")).toBeNull();
  });

  it("TB-6: a deleted thread is described by its own event, because Discord no longer knows it", () => {
    const {
      id,
      guild_id: guildId,
      parent_id: parentId,
    } = fixture("thread-deleted").d as unknown as Record<string, string>;
    const place = placeAsTold({ id: id ?? "", guildId: guildId ?? null, parentId: parentId ?? null }, null);
    const event = eventOf(placeChange("deleted", reading(place)));
    expect(event).toMatchObject({
      threadChange: { what: "deleted" },
      route: route(GENERAL, id),
      kind: "thread_changed",
    });
  });
});

describe("CM-2: interactions", () => {
  const order = (): readonly string[] => ["ref", "level"];

  it("CM-2: the options of a call become the text of its arguments, in the order of the definition", () => {
    const interaction = shapes.interaction(fixture("command-use").d);
    const asked = readAsked(interaction, order);
    expect(asked).toEqual({ kind: "command", name: "model", args: '"a b" very high' });
    if (asked.kind !== "command") throw new Error("no command");
    const event = eventOf(readCommand(interaction, asked, { reading: reading(general), interactionId: "x" }));
    expect(event).toMatchObject({
      kind: "command",
      command: { name: "model", args: '"a b" very high', interactionId: "x" },
      sender: { id: "100000000000000001", name: "Ann" },
      route: route(GENERAL),
      guildId: GUILD,
    });
    expect(event.sentAt).toBeGreaterThan(Date.parse("2026-01-01"));
  });

  it("CM-2: a call in direct messages is the person's", () => {
    const interaction = shapes.interaction(fixture("command-use-dm").d);
    const asked = readAsked(interaction, order);
    if (asked.kind !== "command") throw new Error("no command");
    const fact = readCommand(interaction, asked, { reading: reading(placeOf("command-use-dm")), interactionId: null });
    expect(eventOf(fact)).toMatchObject({
      peer: { kind: "direct", id: "100000000000000001" },
      command: { args: "fast" },
    });
    expect(eventOf(fact).command).not.toHaveProperty("interactionId");
  });

  it("CM-2: autocomplete says which option is being written", () => {
    const interaction = shapes.interaction(fixture("command-autocomplete").d);
    expect(readAsked(interaction, order)).toEqual({
      kind: "autocomplete",
      command: "model",
      option: "ref",
      typed: "fa",
    });
  });

  it("CM-2: a button whose id is a command calls it, any other does not", () => {
    const press = (id: string) =>
      readAsked({ ...shapes.interaction(fixture("command-use").d), type: 3, data: { custom_id: id } }, order);
    expect(press("/model fast")).toEqual({ kind: "command", name: "model", args: "fast" });
    expect(press("page-2")).toEqual({ kind: "other" });
  });
});

describe("IN-7: who a text addresses", () => {
  it.each([
    [`<@${BOT}> hi`, "hi", true, false],
    [`hi <@!${BOT}>, there`, "hi , there", true, false],
    [`a <@${BOT}> b`, "a b", true, false],
    [`  <@${BOT}>\nhi`, "hi", true, false],
    [`\`<@${BOT}>\` hi`, `\`<@${BOT}>\` hi`, false, false],
    [`\`\`\`\n<@5>\n\`\`\` hi`, "```\n<@5>\n``` hi", false, false],
    ["<@&7> hi", "<@&7> hi", false, true],
    [`<@5> and <@${BOT}>`, "<@5> and", true, true],
  ])("IN-7: %j", (text, left, bot, others) => {
    expect(readAddressed(text, { id: BOT, roleId: null })).toEqual({ text: left, bot, others });
  });
});
