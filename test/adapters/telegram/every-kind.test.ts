import { readFileSync } from "node:fs";
import type { Update } from "grammy/types";
import { describe, expect, it } from "vitest";
import type { TelegramFact } from "../../../adapters/telegram/inbound/gestures.ts";
import { readUpdate } from "../../../adapters/telegram/inbound/inbound.ts";
import type { InboundEvent } from "../../../src/core/message/inbound-event.ts";

const bot = { id: "7000000001", username: "switchy_bot", hasTopics: false, readsAllGroupMessages: false };
const ann = { id: 111, is_bot: false, first_name: "Ann" };
const chat = { id: 111, type: "private", first_name: "Ann" };
const news = { id: -1003000000333, type: "channel", title: "News", username: "news" };

function read(fields: object): TelegramFact {
  const message = { message_id: 42, date: 1_790_000_000, from: ann, chat, ...fields };
  const update = { update_id: 1, message } as unknown as Update;
  return readUpdate(update, { bot, accountId: "default", now: 0, commandNames: new Map() });
}

function event(fields: object): InboundEvent {
  const fact = read(fields);
  if (fact.kind !== "event") throw new Error(JSON.stringify(fact));
  return fact.event;
}

const file = { file_id: "F", file_unique_id: "U", file_size: 9 };
const video = { ...file, width: 1, height: 1, duration: 1 };
const place = { latitude: 52.5, longitude: 13.4 };
const task = (id: number, text: string) => ({ id, text });

/** A value of each kind of content, and what the agent reads: the text, or the names of attachments. */
const READS: Readonly<Record<string, readonly [value: unknown, reads: string]>> = {
  text: ["hello", "hello"],
  animation: [video, "animation.mp4"],
  audio: [{ ...file, duration: 1 }, "audio.mp3"],
  document: [file, "document.bin"],
  live_photo: [video, "live-photo.mp4"],
  photo: [[{ ...file, width: 1, height: 1 }], "photo.jpg"],
  sticker: [{ ...file, emoji: "😀", is_animated: false, is_video: false }, "sticker 😀.webp"],
  video: [video, "video.mp4"],
  video_note: [video, "video-note.mp4"],
  voice: [{ ...file, duration: 1 }, "voice.ogg"],
  paid_media: [{ star_count: 5, paid_media: [{ type: "video", video }] }, "Paid media: 5 stars\nvideo.mp4"],
  story: [{ chat: news, id: 1 }, "Story: bots cannot see its content"],
  checklist: [
    { title: "Trip", tasks: [task(1, "pack"), { ...task(2, "book"), completion_date: 1_790_000_000 }] },
    "Checklist: Trip\n- pack\n- [x] book",
  ],
  checklist_tasks_done: [
    { checklist_message: { checklist: { tasks: [task(1, "pack")] } }, marked_as_done_task_ids: [1, 2] },
    "Checklist tasks:\n- done: pack\n- done: #2",
  ],
  checklist_tasks_added: [{ tasks: [task(3, "go")] }, "Checklist tasks added:\n- go"],
  contact: [{ first_name: "Zed", phone_number: "+491" }, "Contact: Zed +491"],
  dice: [{ emoji: "🎲", value: 4 }, "Dice: 🎲 4"],
  game: [{ title: "Lumber", description: "Chop", text: "10 points" }, "Game: Lumber\nChop\n10 points"],
  poll: [{ question: "Where?", options: [{ text: "Here" }], description: "soon" }, "Poll: Where?\nsoon\n- Here"],
  venue: [{ title: "Cafe", address: "Main 1", location: place }, "Venue: Cafe, Main 1 (52.5, 13.4)"],
  location: [{ ...place, live_period: 60 }, "Live location: 52.5, 13.4"],
  invoice: [{ title: "Tea", description: "Green" }, "Invoice: Tea\nGreen"],
  giveaway: [{ winner_count: 3, prize_description: "a cup" }, "Giveaway: 3 winners, a cup"],
  giveaway_winners: [{ winners: [ann] }, "Giveaway winners:\n- Ann"],
  gift: [{ gift: { sticker: { emoji: "🎁" } }, text: "for you" }, "Gift: 🎁\nfor you"],
  unique_gift: [{ gift: { base_name: "Cap", number: 7 } }, "Gift: Cap #7"],
  web_app_data: [{ button_text: "Order", data: "/stop" }, "Web app (Order): /stop"],
  rich_message: [{ blocks: [{ type: "paragraph", text: { text: "one" } }] }, "Rich message: one"],
};

/** Said beside the words of a message, and read with them. */
const READ_WITH_TEXT = [
  ...["entities", "caption", "caption_entities", "reply_to_message", "external_reply", "quote"],
  ...["forward_origin", "is_automatic_forward", "via_bot", "media_group_id", "author_signature", "sender_chat", "from"],
];

/** How a message is shown, paid or filed; nobody writes it. */
const FRAME = [
  ...["message_id", "message_thread_id", "direct_messages_topic", "sender_boost_count", "sender_business_bot"],
  ...[
    "sender_tag",
    "receiver_user",
    "ephemeral_message_id",
    "date",
    "guest_query_id",
    "business_connection_id",
    "chat",
  ],
  ...["is_topic_message", "reply_to_story", "reply_to_checklist_task_id", "reply_to_poll_option_id", "edit_date"],
  ...["guest_bot_caller_user", "guest_bot_caller_chat", "has_protected_content", "is_from_offline", "is_paid_post"],
  ...["paid_star_count", "link_preview_options", "suggested_post_info", "effect_id", "show_caption_above_media"],
  ...["has_media_spoiler", "reply_markup"],
];

/** Acts that say something to the bot's account, not to the agent. Their events are of another kind. */
const ELSEWHERE = ["migrate_to_chat_id", "migrate_from_chat_id", "forum_topic_closed", "forum_topic_reopened"];

/** Telegram's own lines: about members, the chat, money and calls. */
const SERVICE = [
  ...["new_chat_members", "left_chat_member", "chat_owner_left", "chat_owner_changed", "new_chat_title"],
  ...["new_chat_photo", "delete_chat_photo", "group_chat_created", "supergroup_chat_created", "channel_chat_created"],
  ...["message_auto_delete_timer_changed", "pinned_message", "successful_payment", "refunded_payment", "users_shared"],
  ...["chat_shared", "gift_upgrade_sent", "connected_website", "write_access_allowed", "passport_data"],
  ...["proximity_alert_triggered", "boost_added", "chat_background_set", "community_chat_added"],
  ...["community_chat_joined", "community_chat_removed", "direct_message_price_changed", "forum_topic_created"],
  ...["forum_topic_edited", "general_forum_topic_hidden", "general_forum_topic_unhidden", "giveaway_created"],
  ...["giveaway_completed", "managed_bot_created", "paid_message_price_changed", "poll_option_added"],
  ...["poll_option_deleted", "suggested_post_approved", "suggested_post_approval_failed", "suggested_post_declined"],
  ...["suggested_post_paid", "suggested_post_refunded", "video_chat_scheduled", "video_chat_started"],
  ...["video_chat_ended", "video_chat_participants_invited"],
];

function publishedFields(): readonly string[] {
  const types = readFileSync(new URL("../../../node_modules/@gramio/types/out/objects.d.ts", import.meta.url), "utf8");
  const [, body = ""] = /export interface TelegramMessage \{\n([\s\S]*?)\n\}/.exec(types) ?? [];
  return [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, name = ""]) => name);
}

describe("nothing a person sends on Telegram is ignored in silence", () => {
  it("FC-203: every field of a message in the published types is decided here", () => {
    const fields = publishedFields();
    expect(fields.length).toBeGreaterThan(100);
    const decided = [...Object.keys(READS), ...READ_WITH_TEXT, ...FRAME, ...ELSEWHERE, ...SERVICE];
    expect(fields.filter((field) => !decided.includes(field))).toEqual([]);
    expect(decided.length).toBe(new Set(decided).size);
  });

  it.each(Object.entries(READS))("FC-203, FC-204: %s is read", (kind, [value, reads]) => {
    const { text, attachments } = event({ [kind]: value });
    expect([text, ...attachments.map(({ name }) => name)].filter((part) => part !== "").join("\n")).toBe(reads);
  });

  it.each(SERVICE)("FC-203: %s starts nothing, and its reason is kept", (kind) => {
    const why = `a service message (${kind})`;
    expect(read({ [kind]: {} })).toMatchObject({ kind: "nothing", why, event: { text: "", startsNothing: why } });
  });
});

describe("words that are not the sender's own", () => {
  it.each<[string, object, object]>([
    ["a person", { type: "user", sender_user: ann }, { from: "Ann", origin: null }],
    ["a person who hides", { type: "hidden_user", sender_user_name: "Zed" }, { from: "Zed", origin: null }],
    ["a group", { type: "chat", sender_chat: { ...news, type: "group" } }, { from: "News", origin: null }],
    [
      "a channel's post",
      { type: "channel", chat: news, message_id: 5 },
      { from: "News", origin: "https://t.me/news/5" },
    ],
    ["an origin of the future", { type: "star" }, { from: "", origin: null }],
  ])("FC-208: a forward from %s is quoted with its origin", (_name, origin, quote) => {
    const found = event({ text: "/stop @switchy_bot", forward_origin: origin });
    expect(found).toMatchObject({ text: "", forwarded: true, mentions: { bot: false } });
    expect(found.quotes).toEqual([{ kind: "forward", text: "/stop @switchy_bot", ...quote }]);
  });

  it("FC-208: a forwarded picture's caption is quoted, the picture is an attachment", () => {
    const found = event({
      photo: READS.photo?.[0],
      caption: "look",
      forward_origin: { type: "user", sender_user: ann },
    });
    expect(found).toMatchObject({ text: "", quotes: [{ text: "look" }], attachments: [{ name: "photo.jpg" }] });
  });

  it("FC-208: a forwarded poll is quoted", () => {
    const found = event({ poll: READS.poll?.[0], forward_origin: { type: "user", sender_user: ann } });
    expect(found).toMatchObject({ text: "", quotes: [{ text: "Poll: Where?\nsoon\n- Here" }] });
  });

  it("FC-404: what is sent through another bot is that bot's words", () => {
    const found = event({ text: "/stop", via_bot: { id: 5, is_bot: true, first_name: "Gif", username: "gif" } });
    expect(found).toMatchObject({ text: "", quotes: [{ kind: "inline", from: "gif", text: "/stop" }] });
  });
});

describe("what formatting says", () => {
  const entity = (type: string, offset: number, length: number, more: object = {}) => ({
    type,
    offset,
    length,
    ...more,
  });
  it.each<[string, string, readonly object[], string]>([
    [
      "a link keeps its address",
      "see this now",
      [entity("text_link", 4, 4, { url: "https://a.example/" })],
      "see [this](https://a.example/) now",
    ],
    [
      "brackets in an address",
      "this",
      [entity("text_link", 0, 4, { url: "https://a.example/(b)" })],
      "[this](<https://a.example/(b)>)",
    ],
    ["code", "what does /think high do", [entity("code", 10, 11)], "what does `/think high` do"],
    ["code with a backtick", "a`b", [entity("code", 0, 3)], "``a`b``"],
    ["a block of code", "run\nls -l\nok", [entity("pre", 4, 5, { language: "sh" })], "run\n```sh\nls -l\n```\nok"],
    ["a quote before own words", "one\ntwo\nmine", [entity("blockquote", 0, 7)], "> one\n> two\n\nmine"],
    ["a folded quote", "one", [entity("expandable_blockquote", 0, 3)], "> one"],
    [
      "a link in a quote",
      "one\nmine",
      [entity("blockquote", 0, 3), entity("text_link", 0, 3, { url: "https://a.example" })],
      "> [one](https://a.example)\n\nmine",
    ],
    ["a spoiler", "he dies", [entity("spoiler", 3, 4)], "he ||dies||"],
    ["bold without its spaces", "a bold b", [entity("bold", 1, 6)], "a **bold** b"],
    ["struck out", "old new", [entity("strikethrough", 0, 3)], "~~old~~ new"],
    ["nested marks", "ab", [entity("bold", 0, 2), entity("italic", 1, 1)], "**a_b_**"],
    ["a bold command", "/stop", [entity("bold", 0, 5), entity("bot_command", 0, 5)], "/stop"],
    [
      "the own mention in front",
      "@switchy_bot see this",
      [entity("mention", 0, 12), entity("text_link", 17, 4, { url: "https://a.example" })],
      "see [this](https://a.example)",
    ],
    ["the own mention in bold", "@switchy_bot hi", [entity("bold", 0, 12), entity("mention", 0, 12)], "hi"],
    ["nothing to say", "#tag 5*3", [entity("hashtag", 0, 4)], "#tag 5*3"],
  ])("FC-207: %s", (_name, text, entities, words) => {
    expect(event({ text, entities }).text).toBe(words);
    expect(event({ caption: text, caption_entities: entities, photo: READS.photo?.[0] }).text).toBe(words);
  });

  it("FC-207: in a forward and in a quoted message too", () => {
    const entities = [entity("text_link", 0, 4, { url: "https://a.example" })];
    const words = "[this](https://a.example)";
    expect(event({ text: "this", entities, forward_origin: { type: "user", sender_user: ann } }).quotes).toMatchObject([
      { text: words },
    ]);
    const reply_to_message = { message_id: 1, date: 1, from: ann, chat, text: "this", entities };
    expect(event({ text: "?", reply_to_message }).replyTo?.text).toBe(words);
  });
});

describe("a reply to another bot", () => {
  const other = { id: 7_000_000_002, is_bot: true, first_name: "Other", username: "other_bot" };
  const team = { id: -4000111, type: "group", title: "Team" };
  const replyTo = (from: object) => ({ message_id: 1, date: 1, from, chat: team, text: "hi" });

  it.each<[string, object, boolean]>([
    ["is for that bot", { text: "and then?", reply_to_message: replyTo(other) }, true],
    [
      "that mentions this one is for this one",
      {
        text: "@switchy_bot and?",
        entities: [{ type: "mention", offset: 0, length: 12 }],
        reply_to_message: replyTo(other),
      },
      false,
    ],
    ["is not one to a person", { text: "and then?", reply_to_message: replyTo(ann) }, false],
    [
      "is not one to this bot",
      { text: "and then?", reply_to_message: replyTo({ ...other, id: 7_000_000_001 }) },
      false,
    ],
  ])("FC-423: %s", (_name, fields, otherOnly) => {
    expect(event({ chat: team, ...fields }).mentions.otherOnly).toBe(otherOnly);
  });
});
