import type { App as BoltApp } from "@slack/bolt";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { App, Person } from "../../support/emulators/slack/accounts.ts";
import type { Channel } from "../../support/emulators/slack/channels.ts";
import { type SlackEmulator, startSlackEmulator } from "../../support/emulators/slack/emulator.ts";
import { SocketModeBolt, webClient } from "./slack-client.ts";

describe("Slack emulator: commands, buttons, views, files, assistants", () => {
  let sl: SlackEmulator;
  let app: App;
  let ann: Person;
  let channel: Channel;
  let now = 0;
  const cleanUp: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    now = Date.now();
    sl = await startSlackEmulator({ ackMs: 300, clock: () => now });
    app = sl.app({ assistant: true });
    ann = sl.user({ name: "ann" });
    channel = sl.channel("general", { members: [ann, app] });
  });

  afterEach(async () => {
    for (const undo of cleanUp.splice(0).reverse()) await undo();
    await sl.stop();
  });

  async function starts(listen: (bolt: BoltApp) => void): Promise<void> {
    const client = new SocketModeBolt(sl.apiUrl, app);
    listen(client.bolt);
    cleanUp.push(() => client.stop());
    await client.start();
  }

  test("a slash command is acknowledged with a private answer, and answered again at its response URL", async () => {
    await starts((bolt) => {
      bolt.command("/switchyard", async ({ ack, command, respond }) => {
        await ack(`taken: ${command.text}`);
        await respond({ response_type: "ephemeral", text: "done" });
        await respond({ response_type: "in_channel", text: "for all" });
      });
    });
    const call = ann.slash("/switchyard status all", channel);
    expect(call.payload).toMatchObject({ command: "/switchyard", text: "status all", channel_id: channel.id });
    expect((await call.ephemeral()).text).toBe("taken: status all");
    expect((await call.ephemeral()).text).toBe("done");
    expect((await channel.botSays()).text).toBe("for all");
    expect(channel.texts()).toEqual(["for all"]);
    const root = channel.from(ann).says("root");
    expect(() => ann.slash("/switchyard status", channel.thread(root))).toThrow("not supported in threads");
  });

  test("what the person sees if no app handles the command, or not in time", async () => {
    expect(await ann.slash("/switchyard", channel).outcome).toEqual({ kind: "dispatch_failed" });
    await starts((bolt) => void bolt.command("/switchyard", () => new Promise(() => undefined)));
    expect(await ann.slash("/switchyard", channel).outcome).toEqual({ kind: "operation_timeout" });
  });

  test("a response URL works five times, for half an hour", async () => {
    await starts((bolt) => void bolt.command("/switchyard", ({ ack }) => ack()));
    const { payload, outcome } = ann.slash("/switchyard", channel);
    expect(await outcome).toEqual({ kind: "acknowledged", response: {} });
    const respond = async (url: unknown, text: string): Promise<string> => {
      const body = JSON.stringify({ text });
      const headers = { "content-type": "application/json" };
      return (await fetch(String(url), { method: "POST", headers, body })).text();
    };
    for (let i = 0; i < 5; i += 1) expect(await respond(payload.response_url, `${i}`)).toBe("ok");
    expect(JSON.parse(await respond(payload.response_url, "6"))).toEqual({ ok: false, error: "used_url" });
    const late = ann.slash("/switchyard", channel);
    now += 31 * 60_000;
    expect(JSON.parse(await respond(late.payload.response_url, "late"))).toEqual({ ok: false, error: "expired_url" });
    expect(channel.ephemerals().map((entry) => entry.text)).toEqual(["0", "1", "2", "3", "4"]);
  });

  test("a pressed button reaches the app with its message, which replaces it", async () => {
    await starts((bolt) => {
      bolt.action("stop", async ({ ack, respond, action }) => {
        await ack();
        await respond({ replace_original: true, text: `stopped ${"value" in action ? action.value : ""}`, blocks: [] });
      });
    });
    const button = {
      type: "button",
      action_id: "stop",
      value: "42",
      text: { type: "plain_text", text: "Stop" },
    } as const;
    const client = webClient(sl.apiUrl, app);
    await client.chat.postMessage({
      channel: channel.id,
      text: "running",
      blocks: [{ type: "actions", elements: [button] }],
    });
    const message = await channel.botSays();
    const press = ann.presses(message, "Stop", channel);
    expect(press.payload).toMatchObject({ type: "block_actions", container: { message_ts: message.ts } });
    expect((await channel.botEdits(message)).text).toBe("stopped 42");
    expect(() => ann.presses(message, "Go", channel)).toThrow('no button "Go"');
  });

  test("a view is opened within three seconds of its trigger, and sent back", async () => {
    const triggers: string[] = [];
    await starts((bolt) => {
      bolt.command("/switchyard", async ({ ack, command, client }) => {
        triggers.push(command.trigger_id);
        await ack();
        await client.views.open({
          trigger_id: command.trigger_id,
          view: {
            type: "modal",
            callback_id: "pick",
            title: { type: "plain_text", text: "Pick" },
            blocks: [{ type: "section", text: { type: "mrkdwn", text: "which?" } }],
          },
        });
      });
      bolt.view("pick", ({ ack, view }) => {
        const chosen = view.state.values.model?.choice;
        return ack({ response_action: "errors", errors: { model: `not ${String(chosen?.value)}` } });
      });
    });
    ann.slash("/switchyard pick", channel);
    const view = await ann.seesView();
    const outcome = await view.submits({ model: { choice: { type: "plain_text_input", value: "big" } } });
    expect(outcome).toMatchObject({ response: { response_action: "errors", errors: { model: "not big" } } });
    const client = webClient(sl.apiUrl, app);
    const again = (trigger_id = ""): Promise<unknown> =>
      client.views.open({ trigger_id, view: { type: "modal", title: { type: "plain_text", text: "x" }, blocks: [] } });
    await expect(again(triggers[0])).rejects.toMatchObject({ data: { error: "exchanged_trigger_id" } });
    const late = ann.slash("/other", channel);
    now += 4000;
    await expect(again(String(late.payload.trigger_id))).rejects.toMatchObject({
      data: { error: "expired_trigger_id" },
    });
  });

  test("files: the app uploads in three steps, and downloads what a person sent with its token alone", async () => {
    const client = webClient(sl.apiUrl, app);
    const root = channel.from(ann).says("files please");
    await client.filesUploadV2({
      channel_id: channel.id,
      thread_ts: root.ts,
      initial_comment: "here",
      file_uploads: [
        { filename: "a.txt", content: "alpha & beta=1" },
        { filename: "b.bin", file: Buffer.from([0, 255, 7]) },
      ],
    });
    const shared = await channel.botSays({ thread: root });
    expect(shared).toMatchObject({
      subtype: "file_share",
      text: "here",
      files: [{ name: "a.txt" }, { name: "b.bin" }],
    });
    const stored = [...sl.world.files.values()].map((file) => file.bytes?.toString("latin1"));
    expect(stored).toEqual(["alpha & beta=1", "\u0000\u00ff\u0007"]);

    const sent = channel.from(ann).says("look", {
      files: [
        { name: "c.png", bytes: "picture", redirects: 2 },
        { name: "d.txt", bytes: "no", refusedWith: 403 },
        { name: "e.txt", bytes: "far", checkFileInfo: true },
      ],
    });
    const [picture, refused, hidden] = sent.files ?? [];
    const download = (file: unknown, token: string): Promise<Response> =>
      fetch((file as { url_private: string }).url_private, { headers: { authorization: `Bearer ${token}` } });
    expect(await (await download(picture, app.botToken)).text()).toBe("picture");
    const stranger = await download(picture, "xoxb-nobody");
    expect([stranger.status, stranger.headers.get("content-type")]).toEqual([200, "text/html"]);
    expect((await download(refused, app.botToken)).status).toBe(403);
    expect(hidden).toEqual({ id: expect.any(String), mode: "file_access", file_access: "check_file_info" });
    const { file } = await client.files.info({ file: hidden?.id ?? "" });
    expect(await (await download(file, app.botToken)).text()).toBe("far");
  });

  test("an assistant thread: started, context, prompts, title, status", async () => {
    const contexts: unknown[] = [];
    await starts((bolt) => {
      bolt.event("assistant_thread_started", async ({ event, client }) => {
        const { channel_id, thread_ts, context } = event.assistant_thread;
        contexts.push(context.channel_id);
        await client.assistant.threads.setSuggestedPrompts({
          channel_id,
          thread_ts,
          prompts: [{ title: "Help", message: "help me" }],
        });
        await client.assistant.threads.setTitle({ channel_id, thread_ts, title: "A talk" });
      });
      bolt.event("assistant_thread_context_changed", ({ event }) => {
        contexts.push(event.assistant_thread.context.channel_id);
        return Promise.resolve();
      });
      bolt.message(async ({ message, client, say }) => {
        if (message.subtype !== undefined || message.thread_ts === undefined) return;
        const { channel: channel_id, thread_ts } = message;
        await client.assistant.threads.setStatus({ channel_id, thread_ts, status: "is thinking..." });
        await say({ text: "answer", thread_ts });
      });
    });
    const thread = ann.assistant(app, channel);
    thread.looksAt(sl.channel("other", { members: [ann] }));
    await sl.called("assistant.threads.setTitle");
    thread.says("hello");
    expect((await thread.botTypes()).text).toBe("is thinking...");
    expect((await thread.botSays()).text).toBe("answer");
    expect(thread.actions("title").map((action) => action.text)).toEqual(["A talk"]);
    expect(JSON.parse(thread.actions("prompts")[0]?.text ?? "")).toEqual([{ title: "Help", message: "help me" }]);
    expect(contexts[0]).toBe(channel.id);
    expect(contexts).toHaveLength(2);
  });

  test("a stream grows, ends with its blocks and metadata, and is over after five minutes in any case", async () => {
    const client = webClient(sl.apiUrl, app);
    const root = channel.from(ann).says("go");
    const reader = { recipient_team_id: ann.user.team.id, recipient_user_id: ann.id };
    const streamer = client.chatStream({ channel: channel.id, thread_ts: root.ts, buffer_size: 4, ...reader });
    await streamer.append({ markdown_text: "**one** " });
    await streamer.append({ markdown_text: "two" });
    const metadata = { event_type: "delivery", event_payload: { key: "k" } };
    await streamer.stop({ metadata });
    const message = await channel.botSays({ thread: root });
    expect(message).toMatchObject({ text: "**one** two", streaming_state: "completed", metadata });
    const { ts = "" } = await client.chat.startStream({ channel: channel.id, thread_ts: root.ts, ...reader });
    now += 6 * 60_000;
    await expect(client.chat.stopStream({ channel: channel.id, ts })).rejects.toThrow("message_not_in_streaming_state");
  });
});
