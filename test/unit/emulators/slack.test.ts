import type { App as BoltApp } from "@slack/bolt";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { App, Person } from "../../support/emulators/slack/accounts.ts";
import type { Channel } from "../../support/emulators/slack/channels.ts";
import { type SlackEmulator, startSlackEmulator } from "../../support/emulators/slack/emulator.ts";
import { SocketModeBolt, webClient } from "./slack-client.ts";

describe("Slack emulator: conversations with the real Bolt", () => {
  let sl: SlackEmulator;
  let app: App;
  let ann: Person;
  let channel: Channel;
  const cleanUp: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    sl = await startSlackEmulator();
    app = sl.app({ name: "Switchyard" });
    ann = sl.user({ name: "ann" });
    channel = sl.channel("general", { members: [ann, app] });
  });

  afterEach(async () => {
    for (const undo of cleanUp.splice(0).reverse()) await undo();
    await sl.stop();
  });

  /** The real Bolt, connected once it has its listeners. */
  async function starts(listen: (bolt: BoltApp) => void, account = app): Promise<void> {
    const client = new SocketModeBolt(sl.apiUrl, account);
    listen(client.bolt);
    cleanUp.push(() => client.stop());
    await client.start();
  }

  test("a person writes in an IM, the app answers there over Socket Mode", async () => {
    await starts((bolt) => {
      bolt.message(async ({ message, say }) => {
        if (message.subtype === undefined) await say(`you said ${message.text}`);
      });
    });
    const dm = ann.dm(app);
    dm.says("hello");
    expect((await dm.botSays()).text).toBe("you said hello");
    dm.says("a < b & https://example.com/x");
    expect((await dm.botSays()).text).toBe("you said a &lt; b &amp; <https://example.com/x>");
    await sl.caughtUp(app);
    expect(app.sockets[0]?.acks).toHaveLength(4);
    expect(dm.texts()).toHaveLength(4);
  });

  test("the same post arrives as message and as app_mention, with one ts, in either order", async () => {
    const heard: string[] = [];
    await starts((bolt) => {
      bolt.message(({ message }) => Promise.resolve(void heard.push(`message ${message.ts}`)));
      bolt.event("app_mention", ({ event }) => Promise.resolve(void heard.push(`mention ${event.ts}`)));
    });
    const first = channel.from(ann).says("hi", { mention: app });
    await expect.poll(() => heard).toEqual([`message ${first.ts}`, `mention ${first.ts}`]);
    const second = channel.from(ann).says("hi again", { mention: app, order: "mention-first" });
    await expect.poll(() => heard.slice(2)).toEqual([`mention ${second.ts}`, `message ${second.ts}`]);
    channel.from(ann).says("nobody is meant");
    await sl.caughtUp(app);
    expect(heard).toHaveLength(5);
    expect(first.text).toBe(`<@${app.userId}> hi`);
    expect(first.ts).toMatch(/^\d{10}\.\d{6}$/);
  });

  test("threads: a reply names its root, the root counts its replies, both are read apart", async () => {
    await starts((bolt) => {
      bolt.event("app_mention", async ({ event, say }) => {
        await say({ text: "in the thread", thread_ts: event.thread_ts ?? event.ts });
      });
    });
    const root = channel.from(ann).says("start", { mention: app });
    const answer = await channel.botSays({ thread: root });
    expect(answer).toMatchObject({ thread_ts: root.ts, parent_user_id: ann.id, text: "in the thread" });
    const thread = channel.thread(root);
    thread.from(ann).says("more", { mention: app });
    await thread.botSays();
    expect(thread.texts()).toHaveLength(4);
    expect(channel.texts()).toEqual([`<@${app.userId}> start`]);
    expect(channel.now(root)).toMatchObject({ reply_count: 3, reply_users: [app.userId, ann.id] });
  });

  test("edits, deletions, reactions and unfurls reach the app as on the platform", async () => {
    const heard: Record<string, unknown>[] = [];
    await starts((bolt) => {
      bolt.event(/.*/, ({ event }) => Promise.resolve(void heard.push({ ...event })));
    });
    const at = channel.from(ann);
    const message = at.says("first https://example.com/");
    at.unfurls(message);
    at.edits(message, "second");
    at.reacts(message, "eyes");
    at.deletes(message);
    await sl.caughtUp(app);
    expect(heard.map((event) => event.subtype ?? event.type)).toEqual([
      "message",
      "message_changed",
      "message_changed",
      "reaction_added",
      "message_deleted",
    ]);
    const [, unfurl, edit, reaction, deletion] = heard;
    expect(unfurl).toMatchObject({
      message: { text: message.text, attachments: [{}] },
      previous_message: { text: message.text },
    });
    expect((unfurl?.message as object | undefined) ?? {}).not.toHaveProperty("edited");
    expect(edit).toMatchObject({ message: { text: "second", edited: { user: ann.id } }, hidden: true });
    expect(reaction).toMatchObject({ reaction: "eyes", item: { channel: channel.id, ts: message.ts } });
    expect(deletion).toMatchObject({ deleted_ts: message.ts, previous_message: { text: "second" } });
    expect(channel.texts()).toEqual([]);
  });

  test("the app updates and deletes its own messages, reacts, and reads them back with their metadata", async () => {
    const client = webClient(sl.apiUrl, app);
    const metadata = { event_type: "delivery", event_payload: { key: "abc" } };
    const posted = await client.chat.postMessage({ channel: channel.id, text: "one", metadata });
    const message = await channel.botSays();
    expect(posted).toMatchObject({
      ok: true,
      channel: channel.id,
      ts: message.ts,
      message: { bot_id: expect.any(String) },
    });
    await client.chat.update({ channel: channel.id, ts: message.ts, text: "two" });
    expect((await channel.botEdits(message)).text).toBe("two");
    await client.reactions.add({ channel: channel.id, timestamp: message.ts, name: "white_check_mark" });
    expect(await channel.botReacts(message)).toBe("white_check_mark");
    const plain = await client.conversations.history({ channel: channel.id });
    expect(plain.messages?.[0]?.metadata?.event_payload).toEqual({});
    const whole = await client.conversations.history({ channel: channel.id, include_all_metadata: true });
    expect(whole.messages?.[0]).toMatchObject({ text: "two", metadata, edited: { user: app.userId } });
    await client.chat.delete({ channel: channel.id, ts: message.ts });
    await channel.botDeletes(message);
  });

  test("MPIMs, private channels and IMs are told apart by channel_type, and each needs its scope", async () => {
    const small = sl.app({ name: "Small", scopes: ["channels:history", "im:history"] });
    const heard: string[] = [];
    await starts((bolt) => {
      bolt.message(({ event }) => Promise.resolve(void heard.push(event.channel_type)));
    }, small);
    const full = sl.app({ name: "Full" });
    const types: unknown[] = [];
    await starts((bolt) => {
      bolt.message(({ event }) => Promise.resolve(void types.push(event.channel_type)));
    }, full);
    const members = [ann, small, full];
    sl.channel("open", { members }).from(ann).says("1");
    sl.channel("closed", { members, private: true }).from(ann).says("2");
    sl.mpim(members).from(ann).says("3");
    ann.dm(small).says("4");
    ann.dm(full).says("5");
    await Promise.all([sl.caughtUp(small), sl.caughtUp(full)]);
    expect(types).toEqual(["channel", "group", "mpim", "im"]);
    expect(heard).toEqual(["channel", "im"]);
  });
});
