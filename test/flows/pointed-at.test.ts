import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Bot, Person } from "../support/emulators/discord/accounts.ts";
import { type DiscordEmulator, startDiscordEmulator } from "../support/emulators/discord/emulator.ts";
import type { Guild } from "../support/emulators/discord/guild.ts";
import { type ChatRequest, say } from "../support/emulators/model/index.ts";
import type { App, Person as SlackPerson } from "../support/emulators/slack/accounts.ts";
import { type SlackEmulator, startSlackEmulator } from "../support/emulators/slack/emulator.ts";
import { modelRules } from "../support/model-rules.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

/** The smallest picture there is: one pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const files = [{ name: "roof.png", bytes: PNG, mimeType: "image/png" }];

let bridge: TestBridge;
let dc: DiscordEmulator;
let sl: SlackEmulator;
let bot: Bot;
let guild: Guild;
let app: App;
let ann: Person;
let ben: Person;
let slackAnn: SlackPerson;
let slackBen: SlackPerson;

beforeAll(async () => {
  dc = await startDiscordEmulator();
  sl = await startSlackEmulator();
  bot = dc.bot({ username: "switchy", messageContent: true });
  ann = dc.user({ name: "Ann" });
  ben = dc.user({ name: "Ben" });
  guild = dc.guild({ name: "Work", members: [ann, ben, bot] });
  app = sl.app({ name: "Switchyard" });
  slackAnn = sl.user({ name: "ann" });
  slackBen = sl.user({ name: "ben" });
  const open = { dmPolicy: "open", allowFrom: ["*"], groupPolicy: "open", pacing: false };
  bridge = await startTestBridge({
    model: modelRules([/./, ({ request }) => say(`${picturesIn(request)} pictures`)]),
    config: ({ model }) => ({
      models: {
        providers: {
          emulated: {
            type: "openai-compatible",
            baseUrl: model.url,
            apiKey: "none",
            models: { small: { images: true } },
          },
        },
      },
      channels: {
        discord: { token: bot.token, apiUrl: dc.apiUrl, ...open },
        slack: { botToken: app.botToken, appToken: app.appToken, apiUrl: sl.apiUrl, ...open },
      },
    }),
  });
  await Promise.all([dc.connected(bot), app.connected()]);
});
afterAll(async () => {
  await bridge?.[Symbol.asyncDispose]();
  await dc?.stop();
  await sl?.stop();
});

function lastUser(request: ChatRequest | undefined): readonly { readonly type: string; readonly text?: string }[] {
  const content = request?.messages.findLast((message) => message.role === "user")?.content ?? [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function picturesIn(request: ChatRequest): number {
  return lastUser(request).filter((part) => part.type === "image_url").length;
}

function asked(): string {
  return lastUser(bridge.model.requests.at(-1))
    .map((part) => part.text ?? "")
    .join("\n");
}

describe("files that people point at", () => {
  test("FC-205: Telegram: a reply to a photo, and a photo before the question", async () => {
    const group = bridge.tg.group({ title: "roofs", members: [bridge.ann, bridge.bob, bridge.bot] });
    const photo = group.from(bridge.bob).says("", { files });
    group.from(bridge.ann).says("what is this", { mention: bridge.bot, replyTo: photo });
    await group.botSays({ matching: "1 pictures" });
    group.from(bridge.bob).says("", { files });
    group.from(bridge.ann).says("and this", { mention: bridge.bot });
    await group.botSays({ matching: "1 pictures" });
    expect(asked()).toMatch(/> Bob: \(sent .+\)/);
  });

  test("FC-205: Discord: a reply to a picture, and a picture before the question", async () => {
    const channel = guild.text("roofs");
    const photo = channel.from(ben).says("", { files });
    channel.from(ann).says("what is this", { mention: bot, replyTo: photo });
    await channel.botSays({ matching: "1 pictures" });
    channel.from(ben).says("", { files });
    channel.from(ann).says("and this", { mention: bot });
    await channel.botSays({ matching: "1 pictures" });
    expect(asked()).toContain("> Ben: (sent roof.png)");
  });

  test("FC-205: Slack: a picture in a thread's first message, the question in the thread", async () => {
    const channel = sl.channel("roofs", { members: [slackAnn, slackBen, app] });
    const root = channel.from(slackBen).says("the roof", { files });
    const thread = channel.thread(root);
    thread.from(slackAnn).says("what is this", { mention: app });
    await thread.botSays({ matching: "1 pictures" });
    expect(asked()).toContain("> ben: the roof");
  });
});

describe("a thread's first message", () => {
  test("FC-206: Discord: from what was kept, and read when the bot never heard it", async () => {
    const channel = guild.text("printers");
    const root = channel.from(ben).says("the printer is broken");
    const thread = channel.thread("Printer", { by: ann, from: root });
    thread.from(ann).says("what is this about", { mention: bot });
    await thread.botSays({ matching: "0 pictures" });
    expect(asked()).toContain("> Ben: the printer is broken");
    channel.from(ann).says("what else", { mention: bot });
    await channel.botSays({ matching: "0 pictures" });
    expect(asked()).not.toContain("printer is broken");
    const used = channel.from(ben).says("the door squeaks", { files });
    channel.from(ann).says("hm", { mention: bot });
    await channel.botSays({ matching: "1 pictures" });
    const later = channel.thread("Door", { by: ann, from: used });
    later.from(ann).says("what is this about", { mention: bot });
    await later.botSays({ matching: "1 pictures" });
    expect(asked()).toContain("> Ben: the door squeaks");
  });

  test("FC-206: Discord: the first message of a post in a forum", async () => {
    const forum = guild.forum("ideas");
    const post = forum.post("Lights", "more lights please", { by: ben });
    post.from(ann).says("what is this about", { mention: bot });
    await post.botSays({ matching: "0 pictures" });
    expect(asked()).toContain("> Ben: more lights please");
  });

  test("FC-206: Slack: from what was kept, and read when the bot never heard it", async () => {
    const channel = sl.channel("printers", { members: [slackAnn, slackBen] });
    const unheard = channel.from(slackBen).says("the door squeaks");
    channel.adds(app);
    const root = channel.from(slackBen).says("the printer is broken");
    const thread = channel.thread(root);
    thread.from(slackAnn).says("what is this about", { mention: app });
    await thread.botSays({ matching: "0 pictures" });
    expect(asked()).toContain("> ben: the printer is broken");
    const other = channel.from(slackAnn).says("what else", { mention: app });
    await channel.thread(other).botSays({ matching: "0 pictures" });
    expect(asked()).not.toContain("printer is broken");
    const door = channel.thread(unheard);
    door.from(slackAnn).says("and here", { mention: app });
    await door.botSays({ matching: "0 pictures" });
    expect(asked()).toContain("> ben: the door squeaks");
  });
});

describe("a HEIC picture, as an iPhone sends it", () => {
  const bytes = Buffer.concat([Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1"), Buffer.alloc(64, 7)]);
  const heic = { name: "IMG_0001.HEIC", bytes, mimeType: "image/heic" } as const;
  interface Chat {
    says(text: string, options?: object): unknown;
    botSays(wanted: { readonly matching: string }): Promise<unknown>;
  }
  const chats: readonly (readonly [string, () => Chat])[] = [
    ["Telegram", () => bridge.bob.dm(bridge.bot)],
    ["Discord", () => ben.dm(bot)],
    ["Slack", () => slackBen.dm(app)],
  ];

  test.each(chats)("FC-201: %s: the agent reads what to tell the person, and the chat goes on", async (_name, open) => {
    const chat = open();
    chat.says("what is this", { files: [{ ...heic, as: "document" }] });
    await chat.botSays({ matching: "0 pictures" });
    expect(asked()).toMatch(/\[Picture, image\/heic, \d+ bytes: you cannot see it, .*Tell the person/);
    chat.says("and now?");
    await chat.botSays({ matching: "0 pictures" });
    expect(asked()).toContain("and now?");
  });
});

describe("people that an agent mentions", () => {
  beforeAll(() => {
    bridge.script(modelRules([/call ben$/, say("@ben and @Ben and @Bob and @stranger, please look")]));
  });

  test("FC-213: Discord: notifies a person of the conversation, in a new message", async () => {
    const channel = guild.text("calls");
    channel.from(ben).says("I am here");
    channel.from(ann).says("call ben", { mention: bot });
    const said = await channel.botSays({ matching: /please look/ });
    expect(said.mentions.map(({ id }) => id)).toEqual([ben.id]);
    expect(said.edited_timestamp ?? null).toBeNull();
    expect(said.content).toContain(`<@${ben.id}> and <@${ben.id}> and @Bob and @stranger`);
  });

  test("FC-213: Slack: notifies a person of the conversation", async () => {
    const channel = sl.channel("calls", { members: [slackAnn, slackBen, app] });
    channel.from(slackBen).says("I am here");
    const root = channel.from(slackAnn).says("call ben", { mention: app });
    const said = await channel.thread(root).botSays({ matching: /please look/ });
    expect(said.text).toContain(`<@${slackBen.id}> and <@${slackBen.id}> and @Bob and @stranger`);
  });

  test("FC-213: Telegram: notifies a person of the conversation, and links no handle", async () => {
    const group = bridge.tg.group({ title: "calls", members: [bridge.ann, bridge.bob, bridge.bot] });
    group.from(bridge.bob).says("I am here");
    group.from(bridge.ann).says("call ben", { mention: bridge.bot });
    const said = await group.botSays({ matching: /please look/ });
    expect((said.entities ?? []).map(({ type }) => type)).toEqual(["text_mention"]);
  });
});
