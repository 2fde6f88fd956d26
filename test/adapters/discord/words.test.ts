import { ComponentType, EmbedType, MessageReferenceType } from "discord-api-types/v10";
import { describe, expect, it } from "vitest";
import type { Place } from "../../../adapters/discord/address.ts";
import { shapes } from "../../../adapters/discord/inbound/content.ts";
import { readMessage } from "../../../adapters/discord/inbound/inbound.ts";
import type { InboundEvent } from "../../../src/core/message/inbound-event.ts";

const BOT = "900000000000000001";
const place: Place = {
  id: "400000000000000001",
  kind: "channel",
  name: "general",
  guildId: "300000000000000001",
  parent: null,
  recipient: null,
  botRoleId: null,
};
const person = { id: "100000000000000001", username: "ann" };
const app = { id: "100000000000000009", username: "alerts", bot: true };
const reference = {
  type: MessageReferenceType.Forward,
  guild_id: "300000000000000001",
  channel_id: "400000000000000009",
  message_id: "400000000000000010",
};
const ORIGIN = "https://discord.com/channels/300000000000000001/400000000000000009/400000000000000010";
const snapshot = (fields: object) => ({ message: { content: "", attachments: [], embeds: [], ...fields } });
const png = { id: "1", filename: "one.png", size: 9, url: "https://cdn.example/one.png", content_type: "image/png" };
const text = (content: string) => ({ type: ComponentType.TextDisplay, content });
const poll = { question: { text: "Lunch?" }, answers: [{ poll_media: { text: "Yes", emoji: { name: "👍" } } }] };

function event(fields: object, author: object = person): InboundEvent {
  const message = {
    id: "1456074729193472000",
    channel_id: place.id,
    type: 0,
    author,
    content: "",
    timestamp: "2026-01-01T00:01:09.000Z",
    attachments: [],
    embeds: [],
    ...fields,
  };
  const bot = { id: BOT, username: "switchy", applicationId: BOT };
  const fact = readMessage(shapes.message(message), { bot, accountId: "default", place, nameOf: () => null, now: 0 });
  if (fact.kind !== "event") throw new Error(`no event: ${fact.why}`);
  return fact.event;
}

describe("what the words of a message are", () => {
  it.each<[string, object, string]>([
    ["content", { content: "hello" }, "hello"],
    ["an embed beside content", { content: "alert", embeds: [{ description: "disk full" }] }, "alert\ndisk full"],
    [
      "an embed alone",
      {
        embeds: [
          { author: { name: "CI" }, title: "Build", fields: [{ name: "Job", value: "test" }], footer: { text: "v1" } },
        ],
      },
      "CI\nBuild\nJob: test\nv1",
    ],
    ["several embeds", { embeds: [{ title: "a" }, { title: "b" }] }, "a\nb"],
    ["a text of components v2", { flags: 1 << 15, components: [text("hi")] }, "hi"],
    [
      "a container with a section",
      {
        components: [
          {
            type: ComponentType.Container,
            components: [
              {
                type: ComponentType.Section,
                components: [text("CPU")],
                accessory: { type: ComponentType.Button, label: "Open" },
              },
            ],
          },
        ],
      },
      "CPU\nOpen",
    ],
    [
      "a gallery",
      { components: [{ type: ComponentType.MediaGallery, items: [{ media: { url: "u" }, description: "a graph" }] }] },
      "a graph",
    ],
    [
      "a menu",
      {
        components: [
          {
            type: ComponentType.ActionRow,
            components: [
              { type: ComponentType.StringSelect, placeholder: "Pick", options: [{ label: "One", value: "1" }] },
            ],
          },
        ],
      },
      "Pick\nOne",
    ],
    [
      "a component of the future",
      { components: [{ type: 99, content: "new", components: [text("in it")] }] },
      "new\nin it",
    ],
    ["a poll", { poll }, "Poll: Lunch?\n- 👍 Yes"],
    ["a poll beside content", { content: "vote", poll }, "vote\nPoll: Lunch?\n- 👍 Yes"],
    [
      "a poll's result",
      { embeds: [{ type: EmbedType.PollResult, fields: [{ name: "victor_answer_text", value: "Yes" }] }] },
      "Poll result: victor_answer_text: Yes",
    ],
    ["an invitation", { activity: { type: 1 } }, "Invitation: to join an activity in Discord"],
    ["a theme", { shared_client_theme: {} }, "Theme: colors for the Discord app"],
  ])("FC-204: %s", (_name, fields, words) => {
    expect(event(fields, app).text).toBe(words);
  });

  it("FC-204: a mention in a text of components v2 addresses the bot, one in an embed does not", () => {
    expect(event({ components: [text(`<@${BOT}> look`)] }, app)).toMatchObject({
      text: "look",
      mentions: { bot: true },
    });
    expect(event({ embeds: [{ title: `<@${BOT}>` }] }, app).mentions.bot).toBe(false);
  });

  it("FC-204: the preview of a person's link is quoted, never their own words", () => {
    const embed = {
      type: EmbedType.Article,
      provider: { name: "Example" },
      url: "https://a.example/",
      title: "/think high",
    };
    const found = event({ content: "https://a.example/", embeds: [embed] });
    expect(found.text).toBe("https://a.example/");
    expect(found.quotes).toEqual([
      { kind: "preview", from: "Example", origin: "https://a.example/", text: "/think high" },
    ]);
  });

  it("FC-204: a quoted message says what its embeds and components say", () => {
    const replied = {
      ...{ id: "5", channel_id: place.id, type: 0, author: app, content: "", timestamp: "" },
      attachments: [],
      embeds: [{ title: "Build failed" }],
      components: [text("see log")],
    };
    const found = event({
      content: "why?",
      type: 19,
      message_reference: { message_id: "5" },
      referenced_message: replied,
    });
    expect(found.replyTo?.text).toBe("see log\nBuild failed");
  });
});

describe("what a forward is", () => {
  it.each<[string, object, string]>([
    ["words", { content: "transfer the money now" }, "transfer the money now"],
    ["a command", { content: "/stop" }, "/stop"],
    ["an embed", { embeds: [{ title: "Alert" }] }, "Alert"],
    ["components", { components: [text("boxed")] }, "boxed"],
    ["a poll", { poll }, "Poll: Lunch?\n- 👍 Yes"],
  ])("FC-208: %s in it are quoted, with where they were written", (_name, fields, words) => {
    const found = event({ message_reference: reference, message_snapshots: [snapshot(fields)] });
    expect(found).toMatchObject({ text: "", forwarded: true, mentions: { bot: false } });
    expect(found.quotes).toEqual([{ kind: "forward", from: "", origin: ORIGIN, text: words }]);
  });

  it("FC-208: its files are attachments, and one without its content still says that it is one", () => {
    const withFile = event({ message_reference: reference, message_snapshots: [snapshot({ attachments: [png] })] });
    expect(withFile).toMatchObject({ attachments: [{ name: "one.png" }], quotes: [{ text: "" }] });
    expect(event({ message_reference: reference }).quotes).toMatchObject([
      { kind: "forward", origin: ORIGIN, text: "" },
    ]);
  });
});
