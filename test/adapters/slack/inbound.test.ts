import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { BotFacts, Directory } from "../../../adapters/slack/address.ts";
import { readOuter } from "../../../adapters/slack/inbound/event-shape.ts";
import type { SlackFact } from "../../../adapters/slack/inbound/gestures.ts";
import { readEvent } from "../../../adapters/slack/inbound/inbound.ts";
import { type InboundEvent, identityKey } from "../../../src/core/message/inbound-event.ts";

const bot: BotFacts = { userId: "U0BOT", botId: "B0BOT", teamId: "T01TEAM", teamUrl: "https://x.slack.com/" };
const directory: Directory = {
  people: new Map([
    ["U0ANN", { name: "Ann Lee", username: "ann", isBot: false }],
    ["U0BEN", { name: "Ben", username: "ben", isBot: false }],
  ]),
  places: new Map([
    ["C0GENERAL", { kind: "channel", name: "general" }],
    ["C0MPIM", { kind: "mpim", name: null }],
  ]),
  groups: new Map(),
  assistantThreads: new Set(["D0ANN/1790000001.000100"]),
};
const nobody: Directory = { people: new Map(), places: new Map(), groups: new Map(), assistantThreads: new Set() };

function read(name: string, known = directory): SlackFact {
  const raw: unknown = JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), "utf8"));
  return readEvent(readOuter(raw), { bot, accountId: "default", now: 1_790_000_999_000, directory: known });
}

function event(name: string, known = directory): InboundEvent {
  const fact = read(name, known);
  if (fact.kind !== "event") throw new Error(`${name} is ${JSON.stringify(fact)}`);
  return fact.event;
}

const TS = "1790000100.000200";
const ROOT = "1790000000.000100";
const route = (to: string, threadId: string | null = null) => ({
  channel: "slack",
  accountId: "default",
  to,
  threadId,
});

describe("what a message is", () => {
  it("IN-1: a message in a channel becomes one event with every fact", () => {
    expect(event("channel-plain")).toEqual({
      identity: {
        channel: "slack",
        botId: "U0BOT",
        conversation: "C0GENERAL",
        messageId: TS,
        kind: "message",
        version: "0",
      },
      kind: "message",
      accountId: "default",
      route: route("C0GENERAL"),
      peer: { kind: "channel", id: "C0GENERAL", label: "general" },
      thread: { kind: "root", id: TS, label: null },
      guildId: null,
      teamId: "T01TEAM",
      sender: { id: "U0ANN", name: "Ann Lee", username: "ann", isBot: false, isSelf: false, roleIds: [] },
      mentions: { bot: false, replyToBot: false, otherOnly: false },
      text: "hello there",
      attachments: [],
      replyTo: null,
      forwarded: false,
      albumId: null,
      target: null,
      command: null,
      fullLength: false,
      sentAt: 1_790_000_100_000,
      link: "https://x.slack.com/archives/C0GENERAL/p1790000100000200",
    });
  });

  it.each([
    ["channel-plain", "channel", "C0GENERAL", { kind: "root", id: TS }, null],
    ["channel-root-with-own-thread-ts", "channel", "C0GENERAL", { kind: "root", id: TS }, null],
    ["channel-thread-reply", "channel", "C0GENERAL", { kind: "thread", id: ROOT }, ROOT],
    ["channel-thread-broadcast", "channel", "C0GENERAL", { kind: "thread", id: ROOT }, ROOT],
    ["private-plain", "channel", "G0SECRET", { kind: "root", id: TS }, null],
    ["mpim-plain", "group", "C0MPIM", { kind: "root", id: TS }, null],
    ["mpim-thread-reply", "group", "C0MPIM", { kind: "thread", id: ROOT }, ROOT],
    ["im-plain", "direct", "U0ANN", { kind: "none" }, null],
    ["im-root-with-own-thread-ts", "direct", "U0ANN", { kind: "none" }, null],
    ["im-thread-reply", "direct", "U0ANN", { kind: "none" }, ROOT],
    ["im-assistant-reply", "direct", "U0ANN", { kind: "thread", id: "1790000001.000100" }, "1790000001.000100"],
  ])("SK-8, FC-049, FC-050: %s is of %s %s", (name, kind, id, thread, threadId) => {
    const { peer, thread: found, route: way } = event(name);
    expect(peer).toMatchObject({ kind, id });
    expect(found).toMatchObject(thread);
    expect(way.threadId).toBe(threadId);
  });

  it("FC-068, FC-069: the same post as message and as app_mention has one identity, and both say that the bot is meant", () => {
    const [message, mention] = [event("channel-mention"), event("channel-mention-as-app-mention")];
    expect(identityKey(mention.identity)).toBe(identityKey(message.identity));
    expect(mention).toEqual(message);
    expect(message.mentions).toEqual({ bot: true, replyToBot: false, otherOnly: false });
    expect(message.text).toBe("what is <up> & how?");
  });

  it("IN-2: app_mention does not say what it stands in; what is known decides, and a guess is marked as one", () => {
    expect(event("mpim-mention-as-app-mention").peer).toEqual({ kind: "group", id: "C0MPIM", label: null });
    expect(event("mpim-mention-as-app-mention", nobody).peer).toEqual({
      kind: "channel",
      id: "C0MPIM",
      label: null,
      kindGuessed: true,
    });
  });

  it.each([
    ["channel-mention-other", false, true, "@ben can you look?"],
    ["channel-mention-both", true, false, "@ben and : look"],
    ["im-mention-of-somebody", false, false, "write to @ben"],
  ])("IN-7: %s", (name, mentioned, otherOnly, text) => {
    expect(event(name)).toMatchObject({ text, mentions: { bot: mentioned, otherOnly } });
  });

  it("IN-7: a reply in a thread that the bot began is a reply to the bot", () => {
    expect(event("channel-thread-reply-to-bot").mentions.replyToBot).toBe(true);
    expect(event("channel-thread-reply").mentions.replyToBot).toBe(false);
  });

  it("IN-10: markup of the wire reads as people see it", () => {
    expect(event("channel-markup").text).toBe(
      "see https://example.com/a?x=1&y=2 and example.com or here (https://e.com/x), a@b.c, #ops, @here, @team, `a < b`",
    );
  });

  it("CM-2: a command with an exclamation mark stays as it was typed", () => {
    expect(event("channel-command-text").text).toBe("!stop");
  });

  it("FC-122, IN-12: every file is there, also one whose facts come later; a file that is gone is not", () => {
    expect(event("channel-files").attachments).toEqual([
      { ref: "F0one", name: "one.png", mime: "image/png", bytes: 1234, kind: "image" },
      { ref: "F0two", name: "two.pdf", mime: "application/pdf", bytes: 1234, kind: "file" },
      { ref: "F0hidden", name: "F0hidden", mime: null, bytes: null, kind: "file" },
      { ref: "F0clip", name: "clip.m4a", mime: "audio/mp4", bytes: 1234, kind: "voice" },
    ]);
  });

  it("CM-8, FC-208: a message that only shares another one is forwarded, and its words are quoted ones", () => {
    expect(event("channel-shared")).toMatchObject({ text: "", forwarded: true, quotes: [{ text: "words of @ben" }] });
  });

  it("IN-4: other bots are marked as bots, with or without a user", () => {
    expect(event("channel-other-bot").sender).toMatchObject({ id: "U0OTHER", name: "Deployer", isBot: true });
    expect(event("channel-integration").sender).toMatchObject({ id: "B0HOOK", name: "Alerts", isBot: true });
  });

  it.each([
    "channel-own",
    "channel-own-as-bot-message",
    "channel-own-edit",
    "channel-own-delete",
    "channel-join",
    "channel-unfurl",
    "channel-reply-counted",
    "reaction-own",
    "unknown-kind",
  ])("IN-4, IN-11, FC-080: %s starts nothing", (name) => {
    expect(read(name).kind).toBe("nothing");
  });

  it.each(["malformed-ts", "malformed-channel"])("IN-3: %s is poison", (name) => {
    expect(() => read(name)).toThrow(/malformed at/);
  });
});

describe("what happens to a message", () => {
  it("IN-11: an edit names its message, its place and its own version", () => {
    const edit = event("channel-edit");
    const target = identityKey({ ...event("channel-plain").identity, kind: "message", version: "0" });
    expect(edit).toMatchObject({ kind: "edit", text: "second", target, sentAt: 1_790_000_130_000 });
    expect(edit.identity.messageId).toBe(TS);
    expect(edit.identity.version).toContain("1790000130.000000");
    expect(event("channel-edit-in-thread").route.threadId).toBe(ROOT);
    expect(event("im-edit").peer).toMatchObject({ kind: "direct", id: "U0ANN" });
  });

  it("IN-11: an edit may add the mention", () => {
    expect(event("channel-edit-adds-mention")).toMatchObject({ text: "first", mentions: { bot: true } });
  });

  it.each(["channel-delete", "channel-delete-root"])("IN-11: %s takes a message back", (name) => {
    const target = identityKey({ ...event("channel-plain").identity, kind: "message", version: "0" });
    expect(event(name)).toMatchObject({ kind: "delete", target, text: "" });
  });

  it("TB-6: when the bot's own root is deleted its thread is over", () => {
    expect(event("channel-own-root-delete")).toMatchObject({
      kind: "thread_changed",
      threadChange: { what: "deleted" },
      route: route("C0GENERAL", TS),
    });
  });

  it.each([
    ["channel-left", "bot_removed"],
    ["channel-archive", "archived"],
    ["channel-unarchive", "unarchived"],
    ["channel-deleted", "deleted"],
  ])("TB-6: %s changes the whole channel", (name, what) => {
    expect(event(name)).toMatchObject({ threadChange: { what }, route: route("C0GENERAL"), thread: { kind: "none" } });
  });

  it("IN-15: a reaction names the message it is on", () => {
    const target = identityKey({ ...event("channel-plain").identity, messageId: ROOT });
    expect(event("reaction")).toMatchObject({ kind: "reaction", text: "eyes", target, sender: { id: "U0ANN" } });
  });

  it("SK-8: an opened assistant thread and a revoked token are facts of their own", () => {
    expect(read("assistant-started")).toEqual({ kind: "assistant", channel: "D0ANN", threadTs: ROOT });
    expect(read("revoked").kind).toBe("revoked");
  });
});
