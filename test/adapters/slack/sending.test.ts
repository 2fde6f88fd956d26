import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fetchTexts } from "../../../src/core/texts/platforms/accounts.ts";
import type { App, Person } from "../../support/emulators/slack/accounts.ts";
import type { Channel } from "../../support/emulators/slack/channels.ts";
import { type SlackEmulator, startSlackEmulator } from "../../support/emulators/slack/emulator.ts";
import { type Running, routeTo, running, send, sentIds, socketAccount, words } from "./host.ts";

let sl: SlackEmulator;
let app: App;
let ann: Person;
let channel: Channel;
let it_: Running;

beforeEach(async () => {
  sl = await startSlackEmulator();
  app = sl.app({ name: "Switchyard" });
  ann = sl.user({ name: "ann" });
  channel = sl.channel("general", { members: [ann, app] });
  it_ = await running(socketAccount(sl, app));
});

afterEach(async () => {
  await it_[Symbol.asyncDispose]();
  await sl.stop();
});

const own = (): string[] =>
  channel
    .messages()
    .filter((message) => message.user === app.userId)
    .map((message) => message.text);

describe("a send whose answer was lost", () => {
  it("DL-3: is found by its key and not repeated", async () => {
    const { adapter } = it_;
    sl.fails({ kind: "cutAfter" }, { method: "chat.postMessage", times: 1 });
    const first = await send(adapter, routeTo(channel.id), words("once"));
    expect(first).toMatchObject({ outcome: "unknown", left: true });
    const again = await send(adapter, routeTo(channel.id), words("once"), { attempts: 2 });
    expect(own()).toEqual(["once"]);
    expect(sentIds(again)).toEqual([channel.messages().at(-1)?.ts]);
    expect(again).toMatchObject({ readBack: "found" });
    const other = await send(adapter, routeTo(channel.id), words("twice"), { key: "never sent", attempts: 2 });
    expect(other).toMatchObject({ outcome: "sent", readBack: "not found" });
  });

  it("DL-3: is found after a restart too, in a thread, and is brought up to date", async () => {
    const root = channel.from(ann).says("start");
    const thread = routeTo(channel.id, root.ts);
    sl.fails({ kind: "cutAfter" }, { method: "chat.postMessage", times: 1 });
    await send(it_.adapter, thread, words("draft"));
    await it_.adapter.stop();
    await using next = await running(socketAccount(sl, app));
    sentIds(await send(next.adapter, thread, words("final"), { attempts: 2 }));
    expect(channel.thread(root).texts()).toEqual(["start", "final"]);
  });

  it("DL-3: another delivery with the same words is another message", async () => {
    sentIds(await send(it_.adapter, routeTo(channel.id), words("same"), { key: "a" }));
    sentIds(await send(it_.adapter, routeTo(channel.id), words("same"), { key: "b", attempts: 2 }));
    expect(own()).toEqual(["same", "same"]);
  });

  it("DL-3: while Slack does not say whether it was posted, nothing is sent", async () => {
    sl.fails({ kind: "429", retryAfter: 9 }, { method: "conversations.history", times: 1 });
    const outcome = await send(it_.adapter, routeTo(channel.id), words("x"), { attempts: 2 });
    expect(outcome).toMatchObject({ outcome: "retry", afterMs: 9_000, sharesLimitWith: `channel:${channel.id}` });
    expect(own()).toEqual([]);
  });

  it("TB-7: a thread whose creation got no answer is found again", async () => {
    const opening = { rich: "Scout", plain: "Scout" };
    const content = { kind: "thread", title: "Scout", opening, anchorMessageId: null, keepOpenMs: 0 } as const;
    sl.fails({ kind: "cutAfter" }, { method: "chat.postMessage", times: 1 });
    await send(it_.adapter, routeTo(channel.id), content);
    const made = await send(it_.adapter, routeTo(channel.id), content, { attempts: 2 });
    expect(own()).toEqual(["Scout"]);
    expect(made).toMatchObject({ outcome: "sent", thread: routeTo(channel.id, channel.messages().at(-1)?.ts) });
  });

  it("DL-3: a file whose last call got no answer is found by name and size", async () => {
    const bytes = new TextEncoder().encode("notes");
    it_.host.bytes.set("hash", bytes);
    const file = { name: "notes.txt", mime: "text/plain", bytes: bytes.byteLength, sha256: "hash" };
    const content = { kind: "file", file, caption: "a < b", replyTo: null } as const;
    sl.fails({ kind: "cutAfter" }, { method: "files.completeUploadExternal", times: 1 });
    expect(await send(it_.adapter, routeTo(channel.id), content)).toMatchObject({ outcome: "unknown", left: true });
    const ids = sentIds(await send(it_.adapter, routeTo(channel.id), content, { attempts: 2 }));
    expect(own()).toEqual(["a &lt; b"]);
    expect(ids).toEqual([channel.messages().at(-1)?.ts]);
    sl.fails({ kind: "cutBefore" }, { method: "files.getUploadURLExternal", times: 1 });
    const second = await send(it_.adapter, routeTo(channel.id), content, { key: "k2" });
    expect(second).toMatchObject({ outcome: "unknown", left: false });
  });
});

describe("what Slack refuses", () => {
  it("FC-094: an edit of a message that is gone becomes a new one", async () => {
    const ids = sentIds(await send(it_.adapter, routeTo(channel.id), words("draft")));
    channel.from(ann).deletes({ ts: ids[0] ?? "" });
    const again = sentIds(await send(it_.adapter, routeTo(channel.id), words("final"), { messageIds: ids }));
    expect(again).not.toEqual(ids);
    expect(own()).toEqual(["final"]);
  });

  it.each([
    ["is_archived", () => channel.archives(), { gone: false, closed: true }],
    ["not_in_channel|channel_not_found", () => channel.kicks(app), { gone: true }],
    ["channel_not_found", () => channel.isDeleted(), { gone: true }],
    ["restricted_action", () => channel.restricts(), { gone: false }],
  ])("FC-169: %s fails at once with Slack's words", async (reason, happens, expected) => {
    happens();
    const outcome = await send(it_.adapter, routeTo(channel.id), words("x"));
    expect(outcome).toMatchObject({ outcome: "failed", ...expected });
    expect(outcome.outcome === "failed" && outcome.reason).toMatch(new RegExp(`^(?:${reason})$`));
  });

  it("FC-052: an id in another case is refused, never corrected", async () => {
    const outcome = await send(it_.adapter, routeTo(channel.id.toLowerCase()), words("x"));
    expect(outcome).toMatchObject({ outcome: "failed", gone: true });
  });

  it("DL-3: after an unreadable answer it is unknown whether it was posted", async () => {
    sl.fails({ kind: "garbage", body: "<html>busy</html>", status: 200 }, { method: "chat.postMessage", times: 1 });
    expect(await send(it_.adapter, routeTo(channel.id), words("x"))).toMatchObject({ outcome: "unknown", left: true });
    sl.fails({ kind: "5xx", status: 503 }, { method: "chat.postMessage", times: 1 });
    expect(await send(it_.adapter, routeTo(channel.id), words("y"), { key: "y" })).toMatchObject({
      outcome: "unknown",
    });
    sentIds(await send(it_.adapter, routeTo(channel.id), words("x"), { attempts: 2 }));
    sentIds(await send(it_.adapter, routeTo(channel.id), words("y"), { key: "y", attempts: 2 }));
    expect(own()).toEqual(["x", "y"]);
  });

  it("FC-172: a text of exactly the limit can be sent and edited", async () => {
    const long = "x".repeat(it_.adapter.renderer.maxLength);
    const ids = sentIds(await send(it_.adapter, routeTo(channel.id), words(long)));
    const other = "y".repeat(it_.adapter.renderer.maxLength);
    expect(sentIds(await send(it_.adapter, routeTo(channel.id), words(other), { messageIds: ids }))).toEqual(ids);
    expect(own()).toEqual([other]);
  });
});

describe("what only one person sees", () => {
  it("CM-3: a private answer to a slash command comes to the asker alone, and a public one stands in the channel", async () => {
    const call = ann.slash("/switchyard status", channel);
    await it_.host.until(() => it_.host.events.length === 1, "the command");
    const [event] = it_.host.events;
    expect(event).toMatchObject({ kind: "command", command: { name: "status", args: "" }, sender: { id: ann.id } });
    const interaction = event?.command?.interactionId ?? "";
    sentIds(await send(it_.adapter, routeTo(channel.id), words("for you", { private: true, interaction })));
    expect((await call.ephemeral()).text).toBe("for you");
    expect(own()).toEqual([]);
    sentIds(await send(it_.adapter, routeTo(channel.id), words("for all", { interaction })));
    expect(own()).toEqual(["for all"]);
  });

  it("CM-3, DL-4: a limit or a failing server at the call's address is waited for there, and nothing stands in the channel", async () => {
    const call = ann.slash("/switchyard status", channel);
    await it_.host.until(() => it_.host.events.length === 1, "the command");
    const answer = words("for you", { private: true, interaction: it_.host.events[0]?.command?.interactionId ?? "" });
    sl.fails({ kind: "429", retryAfter: 7 }, { method: "response_url" });
    expect(await send(it_.adapter, routeTo(channel.id), answer)).toMatchObject({ outcome: "retry", afterMs: 7_000 });
    sl.fails({ kind: "5xx" }, { method: "response_url" });
    expect(await send(it_.adapter, routeTo(channel.id), answer)).toMatchObject({ outcome: "retry", afterMs: null });
    sentIds(await send(it_.adapter, routeTo(channel.id), answer));
    expect((await call.ephemeral()).text).toBe("for you");
    expect(own()).toEqual([]);
  });

  it("CM-3: a private answer to a written message is shown to its author only", async () => {
    const asked = channel.from(ann).says("!pairing list");
    await it_.host.until(() => it_.host.events.length === 1, "the message");
    sentIds(await send(it_.adapter, routeTo(channel.id), words("not for you", { private: true, replyTo: asked.ts })));
    expect(channel.ephemerals()).toMatchObject([{ userId: ann.id, text: "not for you" }]);
    expect(own()).toEqual([]);
  });

  it("CM-3: a private answer to an unknown caller is not shown to everyone: one line replaces it", async () => {
    const late = { private: true, interaction: "a call before the restart" };
    sentIds(await send(it_.adapter, routeTo(channel.id), words("the pairing code", late)));
    const typed = words("the list", { private: true, replyTo: "1700000000.000100" });
    sentIds(await send(it_.adapter, routeTo(channel.id), typed, { key: "another" }));
    expect(own()).toEqual([expect.stringContaining("too late"), expect.stringContaining("too late")]);
    expect(channel.ephemerals()).toEqual([]);
  });

  it("CM-3: where the bot is not, the call itself takes the answer", async () => {
    const elsewhere = sl.channel("elsewhere", { members: [ann], private: true });
    const call = ann.slash("/agentstatus", elsewhere);
    await it_.host.until(() => it_.host.events.length === 1, "the command");
    const [event] = it_.host.events;
    expect(event?.command?.name).toBe("status");
    const interaction = event?.command?.interactionId ?? "";
    sentIds(await send(it_.adapter, routeTo(elsewhere.id), words("the status", { interaction })));
    expect((await call.ephemeral()).text).toBe("the status");
  });
});

describe("threads and their status", () => {
  it("FC-049: typing shows in a thread and never makes one", async () => {
    const { adapter } = it_;
    const root = channel.from(ann).says("start");
    await adapter.capabilities.typing?.start(routeTo(channel.id));
    expect(channel.actions("status")).toEqual([]);
    await adapter.capabilities.typing?.start(routeTo(channel.id, root.ts));
    await adapter.capabilities.typing?.stop?.(routeTo(channel.id, root.ts));
    expect(channel.actions("status").map(({ text }) => text)).toEqual(["is thinking…", ""]);
  });

  it("TB-1: no thread of its own in a direct conversation, in an archived channel, or where the bot is not", async () => {
    const { threads } = it_.adapter.capabilities;
    const can = (to: string) => threads?.canCreate(routeTo(to), AbortSignal.timeout(5_000));
    expect(await can(channel.id)).toEqual({ can: true });
    expect(await can(sl.mpim([ann, app, sl.user({ name: "ben" })]).id)).toEqual({ can: true });
    expect(await can(ann.dm(app).id)).toMatchObject({ can: false });
    expect(await can(sl.channel("open", { members: [ann] }).id)).toMatchObject({ can: false });
    channel.archives();
    expect(await can(channel.id)).toMatchObject({ can: false, reason: "the channel is archived" });
  });
});

describe("files of people", () => {
  it("FC-122, IN-12: each file is fetched on its own; one that is refused says why", async () => {
    channel.from(ann).says("look", {
      files: [
        { name: "one.txt", bytes: "first", redirects: 1 },
        { name: "two.txt", bytes: "second", refusedWith: 403 },
        { name: "hidden.txt", bytes: "third", checkFileInfo: true },
      ],
    });
    await it_.host.until(() => it_.host.events.length === 1, "the message");
    const limits = { maxBytes: 1_000, signal: AbortSignal.timeout(10_000) };
    const fetched = await Promise.all(
      (it_.host.events[0]?.attachments ?? []).map((one) => it_.adapter.capabilities.files?.fetch(one, limits)),
    );
    expect(fetched.map((one) => (one?.ok === true ? new TextDecoder().decode(one.bytes) : one?.reason))).toEqual([
      "first",
      fetchTexts.status(403),
      "third",
    ]);
  });

  it("IN-12: the sign-in page is not taken for the file", async () => {
    channel.from(ann).says("look", { files: [{ name: "one.txt", bytes: "first" }] });
    await it_.host.until(() => it_.host.events.length === 1, "the message");
    const [attachment] = it_.host.events[0]?.attachments ?? [];
    if (attachment === undefined) throw new Error("no attachment");
    app.record.scopes.delete("files:read");
    sl.fails(
      { kind: "garbage", body: JSON.stringify({ ok: true, file: await infoOf(attachment.ref) }), status: 200 },
      { method: "files.info", times: 1 },
    );
    const fetched = await it_.adapter.capabilities.files?.fetch(attachment, {
      maxBytes: 1_000,
      signal: AbortSignal.timeout(5_000),
    });
    expect(fetched).toEqual({ ok: false, reason: expect.stringContaining("files:read") });
  });

  async function infoOf(id: string): Promise<unknown> {
    return sl.world.files.get(id)?.object;
  }
});
