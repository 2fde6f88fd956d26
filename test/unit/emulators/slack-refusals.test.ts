import type { KnownBlock } from "@slack/types";
import type { WebClient } from "@slack/web-api";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { App, Person } from "../../support/emulators/slack/accounts.ts";
import type { Channel } from "../../support/emulators/slack/channels.ts";
import { type SlackEmulator, startSlackEmulator } from "../../support/emulators/slack/emulator.ts";
import { ALL_SCOPES } from "../../support/emulators/slack/workspace.ts";
import { webClient } from "./slack-client.ts";

interface Scene {
  sl: SlackEmulator;
  app: App;
  ann: Person;
  channel: Channel;
  client: WebClient;
}

type Attempt = (scene: Scene) => Promise<unknown>;

function section(length: number): KnownBlock {
  return { type: "section", text: { type: "mrkdwn", text: "x".repeat(length) } };
}

function markdown(length: number): KnownBlock {
  return { type: "markdown", text: "x".repeat(length) };
}

function posts(args: Record<string, unknown>): Attempt {
  return ({ client, channel }) => client.apiCall("chat.postMessage", { channel: channel.id, text: "x", ...args });
}

async function own({ client, channel }: Scene): Promise<string> {
  return (await client.chat.postMessage({ channel: channel.id, text: "mine" })).ts ?? "";
}

function updates(args: Record<string, unknown>): Attempt {
  return async (scene) =>
    scene.client.apiCall("chat.update", { channel: scene.channel.id, ts: await own(scene), text: "x", ...args });
}

/** What is refused, in which words, and how it is brought about. */
const REFUSALS: [string, string, Attempt][] = [
  ["an unknown method", "unknown_method", ({ client }) => client.apiCall("chat.sing")],
  ["an unknown token", "invalid_auth", ({ client }) => client.auth.test({ token: "xoxb-nobody" })],
  [
    "an app token where a bot token belongs",
    "not_allowed_token_type",
    ({ client, app }) => client.team.info({ token: app.appToken }),
  ],
  [
    "a revoked token",
    "token_revoked",
    ({ client, app }) => {
      app.isRevoked();
      return client.auth.test();
    },
  ],
  [
    "an app that was removed",
    "account_inactive",
    ({ client, app }) => {
      app.isUninstalled();
      return client.auth.test();
    },
  ],
  ["an argument the method does not have", "invalid_arguments", posts({ colour: "red" })],
  ["an unknown channel", "channel_not_found", posts({ channel: "C0NOWHERE1" })],
  ["a channel id in lower case", "channel_not_found", (s) => posts({ channel: s.channel.id.toLowerCase() })(s)],
  ["no channel", "channel_not_found", ({ client }) => client.apiCall("chat.postMessage", { text: "x" })],
  [
    "a private channel the app is not in",
    "channel_not_found",
    (s) => posts({ channel: s.sl.channel("secret", { members: [s.ann], private: true }).id })(s),
  ],
  [
    "a public channel the app is not in",
    "not_in_channel",
    (s) => posts({ channel: s.sl.channel("other", { members: [s.ann] }).id })(s),
  ],
  [
    "an archived channel",
    "is_archived",
    (s) => {
      s.channel.archives();
      return posts({})(s);
    },
  ],
  [
    "a deleted channel",
    "channel_not_found",
    (s) => {
      s.channel.isDeleted();
      return posts({})(s);
    },
  ],
  [
    "a channel where apps may not post",
    "restricted_action",
    (s) => {
      s.channel.restricts();
      return posts({})(s);
    },
  ],
  [
    "a channel of threads alone",
    "restricted_action_thread_only_channel",
    (s) => {
      s.channel.restricts("restricted_action_thread_only_channel");
      return posts({})(s);
    },
  ],
  ["another app's bot as addressee", "cannot_dm_bot", (s) => posts({ channel: s.sl.app({ name: "B" }).userId })(s)],
  ["an empty text", "no_text", posts({ text: " " })],
  ["a text of 40,001 characters", "msg_too_long", posts({ text: "x".repeat(40_001) })],
  ["markdown_text beside text", "markdown_text_conflict", posts({ markdown_text: "x" })],
  ["12,001 characters of markdown_text", "msg_too_long", posts({ text: undefined, markdown_text: "x".repeat(12_001) })],
  ["12,001 characters in a markdown block", "invalid_blocks", posts({ blocks: [markdown(12_001)] })],
  ["12,001 characters in two markdown blocks", "invalid_blocks", posts({ blocks: [markdown(6000), markdown(6001)] })],
  ["3001 characters in a section", "invalid_blocks", posts({ blocks: [section(3001)] })],
  [
    "13,500 characters in sections",
    "msg_blocks_too_long",
    posts({ blocks: Array.from({ length: 5 }, () => section(2700)) }),
  ],
  ["51 blocks", "invalid_blocks", posts({ blocks: Array.from({ length: 51 }, () => section(1)) })],
  ["a block of unknown type", "invalid_blocks", posts({ blocks: [{ type: "paragraph", text: "x" }] })],
  ["blocks that are no JSON", "invalid_blocks_format", posts({ blocks: "[{" })],
  ["as_user", "as_user_not_supported", posts({ as_user: true })],
  ["another name without its scope", "missing_scope", posts({ username: "somebody" })],
  ["a malformed thread_ts", "invalid_thread_ts", posts({ thread_ts: "yesterday" })],
  ["a thread_ts of no message", "thread_not_found", posts({ thread_ts: "1700000000.000001" })],
  [
    "a reply's ts as thread_ts",
    "cannot_reply_to_message",
    async (s) => {
      const root = s.channel.from(s.ann).says("root");
      const reply = s.channel.from(s.ann).says("reply", { thread: root });
      return posts({ thread_ts: reply.ts })(s);
    },
  ],
  ["metadata without a payload", "invalid_metadata_format", posts({ metadata: { event_type: "x" } })],
  [
    "metadata with a bad type",
    "invalid_metadata_schema",
    posts({ metadata: { event_type: "a b", event_payload: {} } }),
  ],
  [
    "metadata over its size",
    "metadata_too_large",
    posts({ metadata: { event_type: "x", event_payload: { a: "x".repeat(17_000) } } }),
  ],
  [
    "101 attachments",
    "too_many_attachments",
    posts({ attachments: Array.from({ length: 101 }, () => ({ text: "x" })) }),
  ],
  ["an update of nothing", "message_not_found", updates({ ts: "1700000000.000001" })],
  [
    "an update of another's message",
    "cant_update_message",
    (s) => updates({ ts: s.channel.from(s.ann).says("a").ts })(s),
  ],
  ["an update to 4001 characters", "msg_too_long", updates({ text: "x".repeat(4001) })],
  [
    "a deletion of another's message",
    "cant_delete_message",
    ({ client, channel, ann }) => client.chat.delete({ channel: channel.id, ts: channel.from(ann).says("a").ts }),
  ],
  [
    "a private answer to somebody elsewhere",
    "user_not_in_channel",
    ({ client, channel, sl }) =>
      client.chat.postEphemeral({ channel: channel.id, user: sl.user({ name: "bob" }).id, text: "x" }),
  ],
  [
    "a reaction twice",
    "already_reacted",
    async (s) => {
      const args = { channel: s.channel.id, timestamp: await own(s), name: "eyes" };
      await s.client.reactions.add(args);
      return s.client.reactions.add(args);
    },
  ],
  [
    "a reaction that is not there",
    "no_reaction",
    async (s) => s.client.reactions.remove({ channel: s.channel.id, timestamp: await own(s), name: "eyes" }),
  ],
  [
    "a reaction with colons",
    "invalid_name",
    async (s) => s.client.reactions.add({ channel: s.channel.id, timestamp: await own(s), name: ":eyes:" }),
  ],
  ["an unknown person", "user_not_found", ({ client }) => client.users.info({ user: "U0NOBODY01" })],
  ["an unknown bot", "bot_not_found", ({ client }) => client.bots.info({ bot: "B0NOBODY01" })],
  ["an unknown workspace", "team_not_found", ({ client }) => client.team.info({ team: "T0NOWHERE1" })],
  ["an IM with nobody", "users_list_not_supplied", ({ client }) => client.apiCall("conversations.open")],
  [
    "a cursor from elsewhere",
    "invalid_cursor",
    ({ client, channel }) => client.conversations.history({ channel: channel.id, cursor: "next" }),
  ],
  ["an unknown kind of conversation", "invalid_types", ({ client }) => client.conversations.list({ types: "public" })],
  [
    "an upload completed twice or never begun",
    "file_not_found",
    ({ client }) => client.files.completeUploadExternal({ files: [{ id: "F1" }] }),
  ],
  [
    "a stream in a channel without its reader",
    "missing_recipient_team_id",
    async (s) => s.client.chat.startStream({ channel: s.channel.id, thread_ts: await own(s) }),
  ],
  [
    "an addition to no stream",
    "message_not_in_streaming_state",
    async (s) => s.client.chat.appendStream({ channel: s.channel.id, ts: await own(s), markdown_text: "x" }),
  ],
  [
    "a title outside of an assistant",
    "not_allowed",
    async (s) => s.client.assistant.threads.setTitle({ channel_id: s.channel.id, thread_ts: await own(s), title: "x" }),
  ],
  [
    "a view without a trigger",
    "invalid_trigger_id",
    ({ client }) =>
      client.views.open({
        trigger_id: "1.2.3",
        view: { type: "modal", title: { type: "plain_text", text: "x" }, blocks: [section(1)] },
      }),
  ],
];

/** What every scope is for. */
const SCOPED: [string, Attempt][] = [
  ["chat:write", posts({})],
  ["channels:history", ({ client, channel }) => client.conversations.history({ channel: channel.id })],
  ["channels:read", ({ client, channel }) => client.conversations.info({ channel: channel.id })],
  ["im:write", ({ client, ann }) => client.conversations.open({ users: ann.id })],
  ["users:read", ({ client, ann }) => client.users.info({ user: ann.id })],
  ["reactions:write", ({ client }) => client.reactions.add({ channel: "C", timestamp: "1", name: "x" })],
  ["files:write", ({ client }) => client.files.getUploadURLExternal({ filename: "x", length: 1 })],
  ["team:read", ({ client }) => client.team.info()],
];

describe("Slack emulator: what the platform refuses", () => {
  let scene: Scene;

  function begin(scopes: readonly string[] = ALL_SCOPES): void {
    const { sl } = scene;
    const app = sl.app({ scopes });
    const ann = sl.user({ name: "ann" });
    const channel = sl.channel(`general-${sl.world.count("client")}`, { members: [ann, app] });
    scene = { sl, app, ann, channel, client: webClient(sl.apiUrl, app) };
  }

  beforeEach(async () => {
    scene = { sl: await startSlackEmulator() } as Scene;
    begin();
  });
  afterEach(() => scene.sl.stop());

  test.each(REFUSALS)("%s: %s", async (_what, error, attempt) => {
    await expect(attempt(scene)).rejects.toMatchObject({ data: { ok: false, error } });
  });

  test.each(SCOPED)("%s is needed", async (scope, attempt) => {
    begin(ALL_SCOPES.filter((entry) => entry !== scope));
    await expect(attempt(scene)).rejects.toMatchObject({ data: { error: "missing_scope", needed: scope } });
  });

  test("requests that are no requests", async () => {
    const { sl, app } = scene;
    const post = (headers: Record<string, string>, body: string): Promise<unknown> =>
      fetch(`${sl.apiUrl}chat.postMessage`, { method: "POST", headers, body }).then((response) => response.json());
    const authorization = `Bearer ${app.botToken}`;
    const json = { "content-type": "application/json" };
    expect(await post(json, "{}")).toEqual({ ok: false, error: "not_authed" });
    expect(await post({ ...json, authorization }, "{")).toEqual({ ok: false, error: "invalid_json" });
    expect(await post({ ...json, authorization }, "[]")).toEqual({ ok: false, error: "json_not_object" });
    expect(await post({ "content-type": "text/plain", authorization }, "x")).toMatchObject({
      error: "invalid_post_type",
    });
    expect(
      await post(json, JSON.stringify({ token: app.botToken, channel: scene.channel.id, text: "x" })),
    ).toMatchObject({ ok: true });
  });

  test("what is within the limits passes: texts, blocks, metadata, buttons", async () => {
    const { client, channel } = scene;
    const blocks: KnownBlock[] = [
      markdown(4000),
      section(3000),
      {
        type: "actions",
        elements: [{ type: "button", action_id: "go", value: "1", text: { type: "plain_text", text: "Go" } }],
      },
      { type: "context", elements: [{ type: "mrkdwn", text: "small" }] },
      { type: "divider" },
    ];
    const metadata = { event_type: "delivery", event_payload: { key: "k", part: 1 } };
    await client.chat.postMessage({ channel: channel.id, text: "x".repeat(40_000), metadata });
    await client.chat.postMessage({ channel: channel.id, blocks });
    await client.chat.postMessage({ channel: channel.id, markdown_text: "x".repeat(12_000) });
    expect(channel.messages().map(({ text }) => text.length)).toEqual([40_000, 7010, 12_000]);
  });

  test("an update leaves what it does not name: blocks stay until an empty list comes", async () => {
    const { client, channel } = scene;
    const { ts = "" } = await client.chat.postMessage({ channel: channel.id, text: "a", blocks: [section(3)] });
    await client.chat.update({ channel: channel.id, ts, text: "b" });
    expect(channel.now({ ts })?.blocks).toHaveLength(1);
    await client.chat.update({ channel: channel.id, ts, text: "c", blocks: [] });
    expect(channel.now({ ts })).toMatchObject({ text: "c", blocks: [] });
  });

  test("with rate limits on, posting is one a second and channel, methods have their tiers", async () => {
    await scene.sl.stop();
    let now = 1_800_000_000_000;
    scene = { sl: await startSlackEmulator({ rateLimits: true, clock: () => now }) } as Scene;
    begin();
    const { client, channel } = scene;
    for (let i = 0; i < 5; i += 1) await client.chat.postMessage({ channel: channel.id, text: "x" });
    await expect(client.chat.postMessage({ channel: channel.id, text: "x" })).rejects.toMatchObject({ retryAfter: 1 });
    now += 1000;
    await client.chat.postMessage({ channel: channel.id, text: "x" });
    for (let i = 0; i < 20; i += 1) await client.users.list({});
    await expect(client.users.list({})).rejects.toMatchObject({ retryAfter: 3 });
  });
});
