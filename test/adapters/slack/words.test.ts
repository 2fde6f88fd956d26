import { describe, expect, it } from "vitest";
import type { BotFacts, Directory } from "../../../adapters/slack/address.ts";
import { readOuter } from "../../../adapters/slack/inbound/event-shape.ts";
import { readEvent } from "../../../adapters/slack/inbound/inbound.ts";
import type { InboundEvent } from "../../../src/core/message/inbound-event.ts";

const bot: BotFacts = { userId: "U0BOT", botId: "B0BOT", teamId: "T01TEAM", teamUrl: "https://x.slack.com/" };
const directory: Directory = {
  people: new Map([["U0BEN", { name: "Ben", username: "ben", isBot: false }]]),
  places: new Map([["C0GENERAL", { kind: "channel", name: "general" }]]),
  groups: new Map([["S0OPS", "ops"]]),
  assistantThreads: new Set(),
};
const reading = { bot, accountId: "default", now: 0, directory };
const TS = "1790000100.000200";
const png = { id: "F0ONE", name: "one.png", mimetype: "image/png", size: 9, mode: "hosted" };
const share = { is_share: true, is_msg_unfurl: true, from_url: "https://x.slack.com/archives/C1/p1" };
const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });
const rich = (...elements: unknown[]) => ({
  type: "rich_text",
  elements: [{ type: "rich_text_section", elements }],
});

function event(fields: object, by: object = { user: "U0ANN" }): InboundEvent {
  const message = { type: "message", ts: TS, channel: "C0GENERAL", channel_type: "channel", ...by, ...fields };
  const fact = readEvent(readOuter({ event: message }), reading);
  if (fact.kind !== "event") throw new Error(`no event: ${JSON.stringify(fact)}`);
  return fact.event;
}

const app = { user: "U0APP", bot_id: "B0APP" };

describe("what the words of an app's message are", () => {
  it.each<[string, object, string]>([
    ["text", { text: "disk &lt;90%&gt; full" }, "disk <90%> full"],
    ["text beside attachments", { text: "alert", attachments: [{ text: "disk full" }] }, "alert\ndisk full"],
    ["pretext", { text: "", attachments: [{ pretext: "from Grafana", text: "x" }] }, "from Grafana\nx"],
    ["an author", { text: "", attachments: [{ author_name: "Grafana", text: "x" }] }, "Grafana\nx"],
    [
      "a title",
      { text: "", attachments: [{ title: "CPU", title_link: "https://g.example/1" }] },
      "CPU (https://g.example/1)",
    ],
    ["fields", { text: "", attachments: [{ fields: [{ title: "Host", value: "db1" }] }] }, "Host: db1"],
    ["a footer", { text: "", attachments: [{ text: "x", footer: "Grafana v9" }] }, "x\nGrafana v9"],
    ["a fallback alone", { text: "", attachments: [{ fallback: "CPU is high" }] }, "CPU is high"],
    ["a fallback that repeats", { text: "", attachments: [{ fallback: "CPU: high", text: "high" }] }, "high"],
    ["blocks in an attachment", { text: "", attachments: [{ blocks: [section("*down*")] }] }, "*down*"],
    [
      "a section",
      { text: "", blocks: [section("see <https://a.example|this> &amp; <@U0BEN>")] },
      "see this (https://a.example) & @ben",
    ],
    [
      "fields of a section",
      { text: "", blocks: [{ type: "section", fields: [{ type: "mrkdwn", text: "*Env*\nprod" }] }] },
      "*Env*\nprod",
    ],
    ["blocks instead of a notification's text", { text: "New alert", blocks: [section("db1 is down")] }, "db1 is down"],
    ["a header", { text: "", blocks: [{ type: "header", text: { type: "plain_text", text: "a < b" } }] }, "a < b"],
    [
      "a context",
      { text: "", blocks: [{ type: "context", elements: [{ type: "mrkdwn", text: "5 min ago" }] }] },
      "5 min ago",
    ],
    [
      "a button",
      {
        text: "",
        blocks: [
          {
            type: "actions",
            elements: [{ type: "button", text: { type: "plain_text", text: "Ack" }, value: "secret" }],
          },
        ],
      },
      "Ack",
    ],
    [
      "a picture",
      { text: "", blocks: [{ type: "image", image_url: "https://a.example", alt_text: "a graph" }] },
      "a graph",
    ],
    [
      "a video",
      { text: "", blocks: [{ type: "video", title: { type: "plain_text", text: "Demo" }, alt_text: "demo" }] },
      "Demo\ndemo",
    ],
    ["Markdown", { text: "", blocks: [{ type: "markdown", text: "**bold** <b>" }] }, "**bold** <b>"],
    [
      "rich text",
      {
        text: "",
        blocks: [
          rich({ type: "text", text: "hi " }, { type: "user", user_id: "U0BEN" }, { type: "emoji", name: "wave" }),
        ],
      },
      "hi @ben:wave:",
    ],
    [
      "a list",
      {
        text: "",
        blocks: [
          {
            type: "rich_text",
            elements: [
              {
                type: "rich_text_list",
                elements: [{ type: "rich_text_section", elements: [{ type: "text", text: "one" }] }],
              },
            ],
          },
        ],
      },
      "- one",
    ],
    [
      "a table",
      {
        text: "",
        blocks: [{ type: "table", rows: [[{ type: "raw_text", text: "a" }, rich({ type: "text", text: "b" })]] }],
      },
      "a | b",
    ],
    ["an alert", { text: "", blocks: [{ type: "alert", text: { type: "mrkdwn", text: "careful" } }] }, "careful"],
    [
      "a card",
      {
        text: "",
        blocks: [{ type: "card", title: { type: "mrkdwn", text: "Card" }, body: { type: "mrkdwn", text: "inside" } }],
      },
      "Card\ninside",
    ],
    [
      "a block of the future",
      { text: "", blocks: [{ type: "hologram", parts: [{ label: "L", text: { type: "plain_text", text: "W" } }] }] },
      "L\nW",
    ],
  ])("FC-204: %s", (_name, fields, words) => {
    expect(event(fields, app).text).toBe(words);
  });

  it("FC-204: an app's mention in a block is one", () => {
    expect(event({ text: "", blocks: [section("<@U0BOT> look")] }, app)).toMatchObject({
      text: "look",
      mentions: { bot: true },
    });
  });
});

describe("what a person shares is quoted", () => {
  it("FC-203: a share without words brings its file and starts a turn", () => {
    const shared = {
      ...share,
      author_name: "Ben",
      channel_name: "ops",
      fallback: "[no preview available]",
      files: [png],
    };
    expect(event({ text: "", attachments: [shared] })).toMatchObject({
      text: "",
      forwarded: true,
      quotes: [{ kind: "forward", from: "Ben", origin: "#ops, https://x.slack.com/archives/C1/p1", text: "" }],
      attachments: [{ ref: "F0ONE", name: "one.png" }],
    });
  });

  it("FC-203: a share with words keeps both, and its words are not the sender's", () => {
    const shared = { ...share, author_name: "Ben", text: "/stop <@U0BOT>", files: [png] };
    const found = event({ text: "what is this", attachments: [shared] });
    expect(found).toMatchObject({ text: "what is this", forwarded: false, mentions: { bot: false } });
    expect(found.quotes).toMatchObject([{ kind: "forward", from: "Ben", text: "/stop" }]);
    expect(found.attachments).toHaveLength(1);
  });

  it("FC-203: a share whose words are only in its blocks", () => {
    const blocks = [
      { team: "T", channel: "C1", ts: TS, message: { blocks: [rich({ type: "text", text: "hidden words" })] } },
    ];
    expect(event({ text: "", attachments: [{ ...share, message_blocks: blocks }] }).quotes).toMatchObject([
      { text: "hidden words" },
    ]);
  });

  it("FC-203, FC-204: a pasted link to a page is a preview, never the sender's words", () => {
    const preview = { from_url: "https://a.example/", service_name: "Example", title: "A", text: "/think high" };
    const found = event({ text: "<https://a.example/>", attachments: [preview] });
    expect(found.text).toBe("https://a.example/");
    expect(found.quotes).toEqual([
      { kind: "preview", from: "Example", origin: "https://a.example/", text: "A\n/think high" },
    ]);
  });
});

describe("channels and groups that a person names", () => {
  it.each([
    ["see <#C0GENERAL>", "see #general (C0GENERAL)"],
    ["see <#C0GENERAL|>", "see #general (C0GENERAL)"],
    ["see <#C0GENERAL|general>", "see #general"],
    ["see <#C0OTHER>", "see #C0OTHER"],
    ["ask <!subteam^S0OPS>", "ask @ops (S0OPS)"],
    ["ask <!subteam^S0OPS|@ops>", "ask @ops"],
    ["ask <!subteam^S0OTHER>", "ask @S0OTHER"],
  ])("FC-210: %s", (text, shown) => {
    expect(event({ text }).text).toBe(shown);
  });
});
