import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DeliveryContent } from "../../../src/core/delivery/delivery.ts";
import { type DiscordEmulator, startDiscordEmulator } from "../../support/emulators/discord/emulator.ts";
import { routeTo, running, send, sentIds, words } from "./host.ts";

let dc: DiscordEmulator;
beforeEach(async () => {
  dc = await startDiscordEmulator();
});
afterEach(() => dc.stop());

function work() {
  const bot = dc.bot({ username: "switchy", messageContent: true });
  const ann = dc.user({ name: "Ann" });
  const guild = dc.guild({ name: "Work", members: [ann, bot] });
  const channel = guild.text("general");
  return { bot, ann, guild, channel, to: routeTo(channel.id) };
}

describe("once", () => {
  it("DL-3: a send without an answer is repeated with the same nonce and appears once", async () => {
    const { bot, channel, to } = work();
    await using it = await running(dc, bot);
    dc.fails({ kind: "cutAfter" }, { method: "create_message" });
    expect(await send(it.adapter, to, words("answer"))).toMatchObject({ outcome: "unknown", left: true });
    sentIds(await send(it.adapter, to, words("answer"), { attempts: 2 }));
    expect(channel.texts()).toEqual(["answer"]);
    const bodies = dc.calls("create_message").map((call) => call.body as Record<string, unknown>);
    expect(new Set(bodies.map(({ nonce }) => nonce)).size).toBe(1);
    expect(bodies[0]).toMatchObject({
      enforce_nonce: true,
      allowed_mentions: { parse: [], users: [], replied_user: false },
    });
    expect(String(bodies[0]?.nonce).length).toBeLessThanOrEqual(25);
  });

  it("DL-3: later than two minutes the history is read before anything is sent again", async () => {
    const { bot, channel, to } = work();
    await using it = await running(dc, bot);
    const ids = sentIds(await send(it.adapter, to, words("answer")));
    const again = await send(it.adapter, to, words("answer"), { attempts: 2, createdAt: Date.now() - 200_000 });
    expect(sentIds(again)).toEqual(ids);
    expect(again).toMatchObject({ readBack: "found" });
    expect(dc.calls("list_messages").length).toBe(1);
    expect(dc.calls("create_message").length).toBe(1);
    expect(channel.texts()).toEqual(["answer"]);
  });

  it("TN-11: a preview that was sent unnoticed takes the final text instead of keeping its own", async () => {
    const { bot, channel, to } = work();
    await using it = await running(dc, bot);
    sentIds(await send(it.adapter, to, words("first wo")));
    sentIds(await send(it.adapter, to, words("first words, all"), { attempts: 2, revision: 1 }));
    expect(channel.texts()).toEqual(["first words, all"]);
  });

  it("FC-094: an edit of a message that is gone becomes a new one, once", async () => {
    const { bot, channel, to } = work();
    await using it = await running(dc, bot);
    const ids = sentIds(await send(it.adapter, to, words("preview")));
    channel.from(bot).deletes({ id: ids[0] ?? "" });
    const made = sentIds(await send(it.adapter, to, words("final"), { messageIds: ids }));
    expect(made).not.toEqual(ids);
    expect(sentIds(await send(it.adapter, to, words("final"), { messageIds: ids, attempts: 2 }))).toEqual(made);
    expect(channel.texts()).toEqual(["final"]);
  });
});

describe("places", () => {
  it("DL-9, FC-169, FC-173: a quote that cannot be is left out, the text stays", async () => {
    const { bot, channel, to } = work();
    await using it = await running(dc, bot);
    sentIds(await send(it.adapter, to, words("one", "999999999999999999")));
    sentIds(await send(it.adapter, to, words("two", "telegram-729"), { key: "k2" }));
    channel.denies(bot, "ReadMessageHistory");
    sentIds(await send(it.adapter, to, words("three", channel.messages()[0]?.id ?? ""), { key: "k3" }));
    expect(channel.texts()).toEqual(["one", "two", "three"]);
  });

  it("FC-044: a message, an edit and a removal in an archived thread open it", async () => {
    const { bot, ann, channel } = work();
    await using it = await running(dc, bot);
    const thread = channel.thread("Deploys", { by: ann });
    const to = routeTo(channel.id, thread.id);
    thread.archives();
    const ids = sentIds(await send(it.adapter, to, words("hello")));
    thread.archives();
    sentIds(await send(it.adapter, to, words("hello again"), { messageIds: ids }));
    thread.archives();
    sentIds(await send(it.adapter, to, { kind: "delete" }, { messageIds: ids }));
    expect(thread.facts.archived).toBe(false);
    expect(channel.texts()).not.toContain("hello");
  });

  it("FC-145: a locked thread is closed, for good, and nothing goes into the parent", async () => {
    const { bot, ann, channel } = work();
    await using it = await running(dc, bot);
    const thread = channel.thread("Deploys", { by: ann });
    thread.archives();
    thread.locks();
    const outcome = await send(it.adapter, routeTo(channel.id, thread.id), words("hello"));
    expect(outcome).toMatchObject({ outcome: "failed", closed: true, gone: false });
    expect(channel.messages().filter((message) => message.author.id === bot.id)).toEqual([]);
  });

  it("FC-169: a person who blocked the bot, a channel without access, and missing rights end at once", async () => {
    const { bot, ann, guild, channel } = work();
    await using it = await running(dc, bot);
    const dm = ann.dm(bot);
    dm.says("hi");
    ann.blocks(bot);
    expect(await send(it.adapter, routeTo(dm.id), words("x"))).toMatchObject({ outcome: "failed", gone: true });
    const hidden = guild.text("hidden");
    hidden.denies(bot, "ViewChannel");
    expect(await send(it.adapter, routeTo(hidden.id), words("x"))).toMatchObject({ outcome: "failed", gone: true });
    channel.denies(bot, "SendMessages");
    expect(await send(it.adapter, routeTo(channel.id), words("x"))).toMatchObject({ outcome: "failed", gone: false });
  });

  it("DL-4: a limit of a channel holds that conversation, the global one the whole bot", async () => {
    const { bot, to } = work();
    await using it = await running(dc, bot);
    dc.fails({ kind: "429", retryAfter: 3 }, { method: "create_message" });
    const own = await send(it.adapter, to, words("x"));
    expect(own).toMatchObject({ outcome: "retry", sharesLimitWith: null });
    expect(own.outcome === "retry" && own.afterMs).toBeGreaterThanOrEqual(3_000);
    dc.fails({ kind: "429", retryAfter: 1, global: true }, { method: "update_message" });
    expect(await send(it.adapter, to, words("x"), { messageIds: ["1234567890"] })).toMatchObject({
      outcome: "retry",
      sharesLimitWith: "bot",
    });
  });

  it("DL-3: a request that never left says so; a server in trouble is tried again", async () => {
    const { bot, to } = work();
    await using it = await running(dc, bot);
    dc.fails({ kind: "5xx", status: 503 }, { method: "create_message" });
    expect(await send(it.adapter, to, words("x"))).toMatchObject({ outcome: "retry", afterMs: null });
    await dc.stop();
    expect(await send(it.adapter, to, words("x"))).toMatchObject({ outcome: "unknown", left: false });
    await dc.start();
  });

  it("FC-176: a file is sent with its escaped caption and pings no one", async () => {
    const { bot, channel, to } = work();
    await using it = await running(dc, bot);
    it.host.bytes.set("sum", new TextEncoder().encode("notes"));
    const file = { name: 'no"tes.txt', mime: "text/plain", bytes: 5, sha256: "sum" };
    const content: DeliveryContent = { kind: "file", file, caption: "*the* notes", replyTo: "999999999999999999" };
    sentIds(await send(it.adapter, to, content));
    expect(channel.messages()[0]).toMatchObject({
      content: "\\*the\\* notes",
      attachments: [{ filename: "no_tes.txt", size: 5 }],
    });
    const missing: DeliveryContent = { ...content, file: { ...file, sha256: "other" } };
    expect(await send(it.adapter, to, missing, { key: "k2" })).toMatchObject({ outcome: "failed", gone: false });
  });

  it("IN-12: an attachment is fetched from where it lies, up to the limit", async () => {
    const { bot, ann, channel } = work();
    await using it = await running(dc, bot);
    channel.from(ann).says("", { files: [{ name: "notes.txt", bytes: "hello", mimeType: "text/plain" }] });
    await it.host.until(() => it.host.events.length === 1, "the message");
    const attachment = it.host.events[0]?.attachments[0];
    if (attachment === undefined) throw new Error("no attachment");
    const fetch = (maxBytes: number) =>
      it.adapter.capabilities.files?.fetch(attachment, { maxBytes, signal: AbortSignal.timeout(5_000) });
    expect(await fetch(100)).toMatchObject({ ok: true, name: "notes.txt", mime: "text/plain" });
    expect(await fetch(2)).toMatchObject({ ok: false, reason: expect.stringContaining("too large") });
  });
});

describe("threads", () => {
  const content = {
    kind: "thread",
    title: "Scout",
    opening: { rich: "Scout works here", plain: "Scout works here" },
    anchorMessageId: null,
    keepOpenMs: 0,
  } as const;

  it("TB-1, FC-044: a thread grows from the message that asked, and is kept open long", async () => {
    const { bot, ann, channel, to } = work();
    await using it = await running(dc, bot);
    const asked = channel.from(ann).says("spawn");
    const outcome = await send(it.adapter, to, { ...content, anchorMessageId: asked.id });
    expect(outcome).toMatchObject({
      outcome: "sent",
      messageIds: [expect.any(String)],
      thread: { to: channel.id, threadId: asked.id },
    });
    expect(channel.inThread(asked.id).facts.autoArchiveDuration).toBe(10_080);
    // TB-7: the same delivery again finds it; another one from the same message gets a root of its own.
    const again = await send(it.adapter, to, { ...content, anchorMessageId: asked.id }, { attempts: 2 });
    expect(again).toMatchObject({ thread: { threadId: asked.id } });
    const other = await send(
      it.adapter,
      to,
      { ...content, title: "Second", anchorMessageId: asked.id, keepOpenMs: 3_600_000 * 20 },
      { key: "k2" },
    );
    expect(other).toMatchObject({ outcome: "sent", messageIds: [expect.any(String)] });
    expect(channel.threads().map((thread) => [thread.name, thread.facts.autoArchiveDuration])).toEqual([
      ["Scout", 10_080],
      ["Second", 1_440],
    ]);
  });

  it("TB-7: a root whose thread is refused is taken back", async () => {
    const { bot, channel, to } = work();
    await using it = await running(dc, bot);
    channel.denies(bot, "CreatePublicThreads");
    expect(await send(it.adapter, to, content)).toMatchObject({ outcome: "failed" });
    expect(channel.texts()).toEqual([]);
    expect(await it.adapter.capabilities.threads?.canCreate(to, AbortSignal.timeout(5_000))).toEqual({
      can: false,
      reason: "the bot lacks permissions here: CreatePublicThreads",
    });
  });

  it("FC-421, TB-7: a thread that the bot cannot write in is removed, and all missing permissions are named before", async () => {
    const { bot, ann, guild, channel, to } = work();
    await using it = await running(dc, bot);
    const closed = guild.text("closed");
    closed.denies(bot, "SendMessagesInThreads", "ReadMessageHistory");
    const ability = () => it.adapter.capabilities.threads?.canCreate(routeTo(closed.id), AbortSignal.timeout(5_000));
    await expect.poll(ability).toEqual({
      can: false,
      reason: "the bot lacks permissions here: SendMessagesInThreads, ReadMessageHistory",
    });
    const asked = channel.from(ann).says("go");
    channel.denies(bot, "SendMessagesInThreads");
    const outcome = await send(it.adapter, to, { ...content, anchorMessageId: asked.id });
    expect(outcome).toMatchObject({ outcome: "failed", gone: false, reason: expect.stringMatching(/may not write/) });
    const [thread] = channel.threads();
    expect(thread === undefined || thread.facts.archived).toBe(true);
  });

  it("TB-7: a root whose answer was lost is used by the next try", async () => {
    const { bot, channel, to } = work();
    await using it = await running(dc, bot);
    dc.fails({ kind: "cutAfter" }, { method: "create_thread_from_message" });
    expect(await send(it.adapter, to, content)).toMatchObject({ outcome: "unknown" });
    const outcome = await send(it.adapter, to, content, { attempts: 2 });
    expect(outcome).toMatchObject({ outcome: "sent" });
    expect(channel.threads()).toHaveLength(1);
    expect(channel.texts().filter((text) => text === "Scout works here")).toHaveLength(1);
  });

  it("TB-1: in a forum the sibling of a post is a post with its tags, found again when repeated", async () => {
    const { bot, ann, guild } = work();
    const forum = guild.forum("ideas", { tags: ["open"], requireTag: true });
    await using it = await running(dc, bot);
    const post = forum.post("An idea", "what about this?", { by: ann, tags: ["open"] });
    const to = routeTo(forum.id, post.id);
    expect(await it.adapter.capabilities.threads?.canCreate(to, AbortSignal.timeout(5_000))).toEqual({ can: true });
    const first = await send(it.adapter, to, content);
    const again = await send(it.adapter, to, content, { attempts: 2 });
    if (first.outcome !== "sent" || again.outcome !== "sent") throw new Error(JSON.stringify([first, again]));
    expect(again.thread).toEqual(first.thread);
    expect(first.messageIds).toEqual([first.thread?.threadId]);
    expect(forum.threads().map((thread) => thread.name)).toEqual(["An idea", "Scout"]);
  });

  it("TB-1: direct messages have no threads, and it is known before", async () => {
    const { bot, ann } = work();
    const dm = ann.dm(bot);
    await using it = await running(dc, bot);
    expect(await it.adapter.capabilities.threads?.canCreate(routeTo(dm.id), AbortSignal.timeout(5_000))).toEqual({
      can: false,
      reason: "direct messages have no threads",
    });
  });
});
