import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ChannelAdapter } from "../../../src/channel/adapter.ts";
import type { DeliveryContent } from "../../../src/core/delivery/delivery.ts";
import type { Bot, Person } from "../../support/emulators/telegram/accounts.ts";
import { startTelegramEmulator, type TelegramEmulator } from "../../support/emulators/telegram/emulator.ts";
import type { Forum, Topic } from "../../support/emulators/telegram/groups.ts";
import { type Running, routeTo, running, send, sentIds, words } from "./host.ts";

let tg: TelegramEmulator;
let bot: Bot;
let ann: Person;
let forum: Forum;
let topic: Topic;
let it1: Running;
let adapter: ChannelAdapter;

beforeEach(async () => {
  tg = await startTelegramEmulator();
  bot = tg.bot({ username: "switchy_bot" });
  ann = tg.user({ name: "Ann" });
  ann.dm(bot);
  forum = tg.forum({ title: "Forum", members: [ann, bot] });
  topic = forum.topic("Deploys");
  it1 = await running({ own: { botToken: bot.token, apiRoot: tg.apiRoot } });
  adapter = it1.adapter;
});
afterEach(async () => {
  await adapter.stop();
  await tg.stop();
});

const file = (bytes: string, name: string, mime: string): DeliveryContent => {
  it1.host.bytes.set(name, new TextEncoder().encode(bytes));
  return { kind: "file", file: { name, mime, bytes: bytes.length, sha256: name }, caption: "here", replyTo: null };
};
const shown = (place: Parameters<TelegramEmulator["messages"]>[0]) =>
  tg.messages(place).map((m) => m.text ?? m.caption);

describe("where a message goes", () => {
  it("FC-039: every way of sending goes into the topic of the route", async () => {
    const route = routeTo(forum.id, topic.threadId);
    const [id] = sentIds(await send(adapter, route, words("<b>one</b>", "one")));
    sentIds(await send(adapter, route, words("two <", "two")));
    sentIds(await send(adapter, route, file("x", "a.txt", "text/plain")));
    sentIds(await send(adapter, route, file("x", "a.png", "image/png")));
    sentIds(await send(adapter, route, words("one more"), [id ?? ""]));
    await adapter.capabilities.typing?.start(route);
    expect(topic.messages().map((m) => m.text ?? m.caption)).toEqual([undefined, "one more", "two", "here", "here"]);
    expect(topic.actions().map((action) => action.action)).toEqual(["typing"]);
    expect(tg.messages(forum, null)).toEqual([]);
  });

  it("DL-12, FC-137: General's id is left out of sends and kept for typing", async () => {
    sentIds(await send(adapter, routeTo(forum.id, 1), words("hello")));
    await adapter.capabilities.typing?.start(routeTo(forum.id, 1));
    expect(shown(forum)).toContain("hello");
    expect(tg.calls("sendChatAction")[0]?.params.message_thread_id).toBe(1);
  });

  it("DL-12: typing in a forum's bare route shows in its General topic", async () => {
    forum.from(ann).says("@switchy_bot hi");
    await it1.host.until(() => it1.host.events.length === 1, "the message");
    await adapter.capabilities.typing?.start(routeTo(forum.id));
    expect(tg.calls("sendChatAction")[0]?.params.message_thread_id).toBe(1);
  });

  it("FC-137: a topic that is gone is a dead conversation, never General", async () => {
    topic.deletes();
    const outcome = await send(adapter, routeTo(forum.id, topic.threadId), words("hello"));
    expect(outcome).toMatchObject({ outcome: "failed", gone: true });
    expect(tg.messages(forum, null)).toEqual([]);
  });

  it("FC-170: a closed topic says so and is no dead conversation", async () => {
    topic.closes();
    const outcome = await send(adapter, routeTo(forum.id, topic.threadId), words("hello"));
    expect(outcome).toMatchObject({
      outcome: "failed",
      gone: false,
      reason: expect.stringContaining("topic is closed to the bot"),
    });
    expect(tg.calls("getChatMember")).toHaveLength(1);
  });

  it("FC-170: a refusal that reads as kicked is judged by the bot's own membership", async () => {
    tg.fails({ kind: "refusal", code: 403, description: "Forbidden: bot was kicked from the supergroup chat" });
    expect(await send(adapter, routeTo(forum.id), words("hello"))).toMatchObject({ outcome: "failed", gone: false });
    forum.kicks(bot);
    expect(await send(adapter, routeTo(forum.id), words("hello"))).toMatchObject({ outcome: "failed", gone: true });
  });

  it("FC-169: blocked by the person is final", async () => {
    ann.blocks(bot);
    expect(await send(adapter, routeTo(ann.id), words("hello"))).toMatchObject({ outcome: "failed", gone: true });
    expect(await send(adapter, routeTo(424_242), words("hello"))).toMatchObject({ outcome: "failed", gone: true });
  });

  it("FC-055: a send to an upgraded group names the new id", async () => {
    const group = tg.group({ title: "Team", members: [ann, bot] });
    const upgraded = tg.migrate(group);
    const outcome = await send(adapter, routeTo(group.id), words("hello"));
    expect(outcome).toMatchObject({ outcome: "failed", gone: false, movedTo: String(upgraded.id) });
  });
});

describe("what is shown", () => {
  it("FC-063: formatting that Telegram cannot read goes plain, as the same piece, at once", async () => {
    sentIds(await send(adapter, routeTo(ann.id), words("A <a@b.c> <b>x</b>", "A <a@b.c> x")));
    expect(shown(ann.dm(bot))).toEqual(["A <a@b.c> x"]);
    expect(tg.calls("sendMessage").map((call) => call.outcome)).toEqual(["refused", "ok"]);
  });

  it("DL-9: an answer quotes, and goes without the quote when its message is gone", async () => {
    const chat = ann.dm(bot);
    const [kept, gone] = [chat.says("kept"), chat.says("gone")];
    chat.deletes(gone);
    sentIds(await send(adapter, routeTo(ann.id), words("one", "one", String(kept.message_id))));
    sentIds(await send(adapter, routeTo(ann.id), words("two", "two", String(gone.message_id))));
    tg.fails({ kind: "refusal", code: 400, description: "Bad Request: message to be replied not found" });
    sentIds(await send(adapter, routeTo(ann.id), words("three", "three", String(kept.message_id))));
    const quotes = tg.messages(chat).map((m) => [m.text, m.reply_to_message?.message_id]);
    expect(quotes.slice(1)).toEqual([
      ["one", kept.message_id],
      ["two", undefined],
      ["three", undefined],
    ]);
  });

  it("FC-094: an edit changes the message, the same text again is success, only a deleted message is sent again", async () => {
    const route = routeTo(ann.id);
    const ids = sentIds(await send(adapter, route, words("...")));
    expect(sentIds(await send(adapter, route, words("done"), ids))).toEqual(ids);
    expect(sentIds(await send(adapter, route, words("done"), ids))).toEqual(ids);
    tg.fails({ kind: "429", retryAfter: 3 }, { method: "editMessageText" });
    expect((await send(adapter, route, words("more"), ids)).outcome).toBe("retry");
    expect(shown(ann.dm(bot))).toEqual(["done"]);
    ann.dm(bot).deletes({ message_id: Number(ids[0]) } as never);
    expect(sentIds(await send(adapter, route, words("anew"), ids))).not.toEqual(ids);
    expect(shown(ann.dm(bot))).toEqual(["anew"]);
  });

  it("TN-11: a preview edits its message, and a refused one changes nothing and fails nothing; a limit it met is named (DL-4)", async () => {
    const [id = ""] = sentIds(await send(adapter, routeTo(ann.id), words("...")));
    const show = (rich: string) =>
      adapter.capabilities.edits?.preview(routeTo(ann.id), id, { rich, plain: rich }, AbortSignal.timeout(5_000));
    expect(await show("<b>half</b> of")).toBeNull();
    tg.fails({ kind: "429", retryAfter: 3 }, { method: "editMessageText" });
    expect(await show("half of it")).toEqual({ afterMs: 3_000, sharesLimitWith: `chat:${ann.id}` });
    expect(shown(ann.dm(bot))).toEqual(["half of"]);
  });

  it("TN-11: a shown preview is taken back, and one that is gone already counts as taken", async () => {
    const ids = sentIds(await send(adapter, routeTo(ann.id), words("...")));
    expect(sentIds(await send(adapter, routeTo(ann.id), { kind: "delete" }, ids))).toEqual(ids);
    expect(sentIds(await send(adapter, routeTo(ann.id), { kind: "delete" }, ids))).toEqual(ids);
    expect(shown(ann.dm(bot))).toEqual([]);
  });

  it("DL-6: a stored file goes as a document, an image as a photo, one that is no photo as a document after all", async () => {
    sentIds(await send(adapter, routeTo(ann.id), file("bytes", "rest.md", "text/markdown")));
    sentIds(await send(adapter, routeTo(ann.id), file("bytes", "a.png", "image/png")));
    tg.fails(
      { kind: "refusal", code: 400, description: "Bad Request: PHOTO_INVALID_DIMENSIONS" },
      { method: "sendPhoto" },
    );
    sentIds(await send(adapter, routeTo(ann.id), file("bytes", "b.png", "image/png")));
    const kinds = tg.messages(ann.dm(bot)).map((m) => m.document?.file_name ?? (m.photo === undefined ? "?" : "photo"));
    expect(kinds).toEqual(["rest.md", "photo", "b.png"]);
    const missing = file("bytes", "gone.md", "text/markdown");
    it1.host.bytes.clear();
    expect(await send(adapter, routeTo(ann.id), missing)).toMatchObject({ outcome: "failed", gone: false });
  });
});

describe("what is not certain or has to wait", () => {
  it("FC-092: a 429 is obeyed in full and holds its chat, and the bot when a second chat is refused", async () => {
    const ben = tg.user({ name: "Ben" });
    ben.dm(bot);
    tg.fails({ kind: "429", retryAfter: 6_775 }, { times: 2 });
    const one = await send(adapter, routeTo(ann.id), words("x"));
    expect(one).toMatchObject({ outcome: "retry", afterMs: 6_775_000, sharesLimitWith: `chat:${ann.id}` });
    const two = await send(adapter, routeTo(ben.id), words("x"));
    expect(two).toMatchObject({ outcome: "retry", sharesLimitWith: "bot" });
    const names = adapter.capabilities.pacing?.buckets(routeTo(ann.id)).map((bucket) => bucket.name);
    expect(names).toEqual(["bot", `chat:${ann.id}`]);
  });

  it("DL-4: a server error waits for another try", async () => {
    tg.fails({ kind: "5xx" });
    expect(await send(adapter, routeTo(ann.id), words("x"))).toMatchObject({ outcome: "retry", afterMs: null });
  });

  it.each([
    ["cutBefore", { kind: "cutBefore" }],
    ["cutAfter", { kind: "cutAfter" }],
    ["garbage", { kind: "garbage", body: "<html>" }],
    ["a gateway's page", { kind: "garbage", status: 502, body: "<html>Bad Gateway</html>" }],
  ] as const)("DL-3: a request that left and got no answer may have arrived (%s)", async (_, fault) => {
    tg.fails(fault, { method: "sendMessage" });
    expect(await send(adapter, routeTo(ann.id), words("x"))).toMatchObject({ outcome: "unknown", left: true });
  });

  it("DL-3: a request that never left is known not to have arrived", async () => {
    await tg.stop();
    const outcome = await send(adapter, routeTo(ann.id), words("x"));
    expect(outcome).toMatchObject({ outcome: "unknown", left: false });
  });

  it("DL-3: an edit with a broken connection is simply tried again", async () => {
    const ids = sentIds(await send(adapter, routeTo(ann.id), words("...")));
    tg.fails({ kind: "cutAfter" }, { method: "editMessageText" });
    expect((await send(adapter, routeTo(ann.id), words("done"), ids)).outcome).toBe("retry");
    expect(sentIds(await send(adapter, routeTo(ann.id), words("done"), ids))).toEqual(ids);
  });

  it("DL-4: a stopped account keeps its deliveries waiting", async () => {
    await adapter.stop();
    expect((await send(adapter, routeTo(ann.id), words("x"))).outcome).toBe("retry");
  });
});

describe("files people send", () => {
  it("IN-12: an attachment is fetched with the bot's credentials, within the limit", async () => {
    ann.dm(bot).says("look", {
      files: [{ name: "note.txt", mimeType: "text/plain", bytes: new TextEncoder().encode("hello") } as never],
    });
    await it1.host.until(() => it1.host.events.length === 1, "the file");
    const [attachment] = it1.host.events[0]?.attachments ?? [];
    if (attachment === undefined) throw new Error("no attachment");
    const signal = AbortSignal.timeout(5_000);
    const fetched = await adapter.capabilities.files?.fetch(attachment, { maxBytes: 100, signal });
    expect(fetched).toMatchObject({ ok: true, name: "note.txt", mime: "text/plain" });
    if (fetched?.ok === true) expect(new TextDecoder().decode(fetched.bytes)).toBe("hello");
    const refused = await adapter.capabilities.files?.fetch({ ...attachment, bytes: null }, { maxBytes: 3, signal });
    expect(refused).toMatchObject({ ok: false, reason: expect.stringContaining("3") });
    const unknown = await adapter.capabilities.files?.fetch(
      { ...attachment, ref: "nonsense" },
      { maxBytes: 100, signal },
    );
    expect(unknown).toMatchObject({ ok: false });
    expect(JSON.stringify([refused, unknown])).not.toContain(bot.token);
  });
});
