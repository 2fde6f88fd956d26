import { App as BoltApp, HTTPReceiver, type LogLevel } from "@slack/bolt";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { App, Person } from "../../support/emulators/slack/accounts.ts";
import type { Channel } from "../../support/emulators/slack/channels.ts";
import { type SlackEmulator, startSlackEmulator } from "../../support/emulators/slack/emulator.ts";
import { clientOptions, webClient } from "./slack-client.ts";

describe("Slack emulator: HTTP events, membership and tokens", () => {
  let sl: SlackEmulator;
  let app: App;
  let ann: Person;
  let channel: Channel;
  const cleanUp: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    sl = await startSlackEmulator({ ackMs: 300, retryDelaysMs: [20, 40] });
    app = sl.app();
    ann = sl.user({ name: "ann" });
    channel = sl.channel("general", { members: [ann, app] });
  });

  afterEach(async () => {
    for (const undo of cleanUp.splice(0).reverse()) await undo();
    await sl.stop();
  });

  /** The real Bolt behind its HTTP receiver; the platform has checked its URL. */
  async function starts(listen: (bolt: BoltApp) => void): Promise<void> {
    const receiver = new HTTPReceiver({
      signingSecret: app.signingSecret,
      port: 0,
      logLevel: "none" as LogLevel,
      customPropertiesExtractor: () => ({}),
    });
    const bolt = new BoltApp({
      token: app.botToken,
      receiver,
      logLevel: "none" as LogLevel,
      clientOptions: clientOptions(sl.apiUrl),
    });
    listen(bolt);
    const server = await receiver.start(0);
    cleanUp.push(() => receiver.stop());
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    await app.setRequestUrl(`http://127.0.0.1:${address.port}/slack/events`);
  }

  test("events, commands and buttons come signed to the request URL and are answered there", async () => {
    await starts((bolt) => {
      bolt.message(async ({ message, say }) => {
        if (message.subtype === undefined) await say(`you said ${message.text}`);
      });
      bolt.command("/switchyard", ({ ack, command }) => ack(`taken: ${command.text}`));
    });
    channel.from(ann).says("hello ü");
    expect((await channel.botSays()).text).toBe("you said hello ü");
    expect((await ann.slash("/switchyard status", channel).ephemeral()).text).toBe("taken: status");
    await sl.caughtUp(app);
  });

  test("Bolt refuses a wrong, missing or old signature", async () => {
    await starts(() => undefined);
    const event = { type: "event_callback", event: { type: "message", text: "forged" } };
    const statuses = await Promise.all([
      app.posts(event),
      app.posts(event, { signature: "wrong" }),
      app.posts(event, { signature: "missing" }),
      app.posts(event, { ageSeconds: 301 }),
    ]);
    expect(statuses.map((answer) => answer.status)).toEqual([200, 401, 401, 401]);
  });

  test("a request that is not taken comes again with its number and reason, and then no more", async () => {
    const headers: unknown[] = [];
    await starts((bolt) => {
      bolt.use(({ context }) => Promise.resolve(void headers.push([context.retryNum, context.retryReason])));
    });
    const { createServer } = await import("node:http");
    const refusing = createServer((request, response) => {
      headers.push([request.headers["x-slack-retry-num"], request.headers["x-slack-retry-reason"]]);
      response.writeHead(500).end();
    });
    await new Promise<void>((resolve) => refusing.listen(0, "127.0.0.1", resolve));
    cleanUp.push(() => new Promise((resolve) => refusing.close(resolve)));
    const address = refusing.address();
    app.record.requestUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
    channel.from(ann).says("nobody takes it");
    const [event] = app.record.deliveries.events;
    await sl.until(() => (event?.state === "dropped" ? true : undefined));
    expect(headers).toEqual([
      [undefined, undefined],
      ["1", "http_error"],
      ["2", "http_error"],
    ]);
  });

  test("coming and going: joins, removal, archiving, deletion, each as the app hears it", async () => {
    const heard: unknown[] = [];
    await starts((bolt) => {
      bolt.event(/.*/, ({ event }) => {
        heard.push("subtype" in event && event.subtype !== undefined ? `${event.type}.${event.subtype}` : event.type);
        return Promise.resolve();
      });
    });
    const other = sl.channel("other", { members: [ann, app] });
    const bob = sl.user({ name: "bob" });
    channel.adds(bob);
    channel.kicks(bob);
    channel.archives();
    other.kicks(app);
    sl.channel("third", { members: [ann, app] }).isDeleted();
    await sl.caughtUp(app);
    expect(heard.sort()).toEqual([
      "channel_archive",
      "channel_deleted",
      "channel_left",
      "member_joined_channel",
      "member_left_channel",
      "message.channel_join",
    ]);
    expect(() => channel.from(ann).says("x")).toThrow("archived");
    const client = webClient(sl.apiUrl, app);
    await expect(client.chat.postMessage({ channel: other.id, text: "x" })).rejects.toThrow("not_in_channel");
  });

  test("removal and revocation are told before the token is refused", async () => {
    const heard: string[] = [];
    await starts((bolt) => {
      bolt.event("tokens_revoked", ({ event }) => Promise.resolve(void heard.push(event.type)));
      bolt.event("app_uninstalled", ({ event }) => Promise.resolve(void heard.push(event.type)));
    });
    app.isRevoked();
    await expect.poll(() => heard).toEqual(["tokens_revoked"]);
    app.isUninstalled();
    await expect.poll(() => heard).toEqual(["tokens_revoked", "app_uninstalled"]);
    channel.from(ann).says("unheard");
    expect(app.record.deliveries.events).toHaveLength(2);
  });

  test("two workspaces know nothing of each other", async () => {
    const there = sl.workspace("Elsewhere");
    const guest = there.app({ name: "Guest" });
    const far = there.channel("general", { members: [there.user({ name: "zoe" }), guest] });
    const client = webClient(sl.apiUrl, app);
    await expect(client.chat.postMessage({ channel: far.id, text: "x" })).rejects.toThrow("channel_not_found");
    expect((await webClient(sl.apiUrl, guest).auth.test()).team_id).toBe(there.team.id);
    const { channels } = await client.conversations.list({ types: "public_channel,im" });
    expect(channels?.map((entry) => entry.id)).toEqual([channel.id]);
  });
});
