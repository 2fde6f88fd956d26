import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readOuter } from "../../../adapters/slack/inbound/event-shape.ts";
import type { SlackFact } from "../../../adapters/slack/inbound/gestures.ts";
import { readSlashCall } from "../../../adapters/slack/inbound/gestures.ts";
import { readEvent } from "../../../adapters/slack/inbound/inbound.ts";

const bot = { userId: "U0BOT", botId: "B0BOT", teamId: "T01TEAM", teamUrl: "https://x.slack.com/" };
const directory = { people: new Map(), places: new Map(), groups: new Map(), assistantThreads: new Set<string>() };

function read(fields: object): SlackFact {
  const message = { type: "message", user: "U0ANN", ts: "1790000100.000200", channel: "C1", text: "hello", ...fields };
  return readEvent(readOuter({ event: message }), { bot, accountId: "default", now: 0, directory });
}

/** Subtypes that are somebody's words. */
const READ = ["bot_message", "file_share", "me_message", "thread_broadcast"];
/** What happens to a message that was there before. */
const CHANGES = ["message_changed", "message_deleted"];
/** Slack's own lines. `message_replied` only counts; what was replied comes as a message. */
const SERVICE = [
  ...["channel_archive", "channel_join", "channel_leave", "channel_name", "channel_posting_permissions"],
  ...["channel_purpose", "channel_topic", "channel_unarchive", "ekm_access_denied", "message_replied"],
];
/** Sent, but not in the published types. */
const UNPUBLISHED = [
  "group_join",
  "bot_add",
  "huddle_thread",
  "reminder_add",
  "pinned_item",
  "joiner_notification",
  "new_one",
];

function publishedSubtypes(): readonly string[] {
  const file = new URL("../../../node_modules/@slack/types/dist/events/message.d.ts", import.meta.url);
  return [...readFileSync(file, "utf8").matchAll(/subtype: '(\w+)'/g)].map(([, name = ""]) => name);
}

describe("nothing a person sends on Slack is ignored in silence", () => {
  it("FC-203: every subtype of a message in the published types is decided here", () => {
    expect([...new Set(publishedSubtypes())].toSorted()).toEqual([...READ, ...CHANGES, ...SERVICE].toSorted());
  });

  it.each([...READ, undefined])("FC-203: a message of subtype %s is read", (subtype) => {
    expect(read({ subtype })).toMatchObject({ kind: "event", event: { text: "hello" } });
  });

  it.each([...SERVICE, ...UNPUBLISHED])("FC-203: %s starts nothing, and its reason is kept", (subtype) => {
    const why = `a service message (${subtype})`;
    expect(read({ subtype })).toMatchObject({ kind: "nothing", why, event: { startsNothing: why, text: "" } });
  });

  it("FC-203: a message that holds nothing at all keeps that reason", () => {
    const why = "a message without content";
    expect(read({ text: "" })).toMatchObject({ kind: "nothing", why, event: { startsNothing: why } });
  });
});

it("FC-211: what is typed behind a slash command is unescaped as in a message", () => {
  const call = {
    command: "/switchyard",
    text: "name R&amp;D &lt;1&gt;",
    user_id: "U0ANN",
    channel_id: "C1",
    trigger_id: "1.2",
  };
  const reading = { bot, accountId: "default", now: 0, directory };
  expect(readSlashCall(call, reading).command).toMatchObject({ name: "name", args: "R&D <1>" });
});

it("FC-210: a person from a connected workspace has the name in the event", () => {
  expect(read({ user_profile: { display_name: "", real_name: "Cy Doe", name: "cy" } })).toMatchObject({
    event: { sender: { id: "U0ANN", name: "Cy Doe" } },
  });
});
