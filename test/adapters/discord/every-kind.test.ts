import { MessageFlags, MessageType } from "discord-api-types/v10";
import { describe, expect, it } from "vitest";
import { shapes } from "../../../adapters/discord/inbound/content.ts";
import type { DiscordFact } from "../../../adapters/discord/inbound/fact.ts";
import { readMessage } from "../../../adapters/discord/inbound/inbound.ts";

const BOT = "900000000000000001";
const NAMES = new Map([
  ["channel 7", "ops"],
  ["role 8", "on /stop call"],
]);
const nameOf = (kind: string, id: string): string | null => NAMES.get(`${kind} ${id}`) ?? null;

function read(fields: object): DiscordFact {
  const id = "400000000000000001";
  const message = {
    id: "1456074729193472000",
    channel_id: id,
    type: 0,
    author: { id: "100000000000000001", username: "ann" },
    content: "hello",
    timestamp: "2026-01-01T00:01:09.000Z",
    attachments: [],
    embeds: [],
    ...fields,
  };
  const bot = { id: BOT, username: "switchy", applicationId: BOT };
  const place = {
    id,
    kind: "channel",
    name: "general",
    guildId: "3",
    parent: null,
    recipient: null,
    botRoleId: null,
  } as const;
  return readMessage(shapes.message(message), { bot, accountId: "default", place, nameOf, now: 0 });
}

/** Words of people and apps. Every other kind is a line of Discord's own. */
const READ = ["Default", "Reply", "ChatInputCommand", "ContextMenuCommand"];
const SERVICE = [
  ...["RecipientAdd", "RecipientRemove", "Call", "ChannelNameChange", "ChannelIconChange", "ChannelPinnedMessage"],
  ...["UserJoin", "GuildBoost", "GuildBoostTier1", "GuildBoostTier2", "GuildBoostTier3", "ChannelFollowAdd"],
  ...["GuildDiscoveryDisqualified", "GuildDiscoveryRequalified", "GuildDiscoveryGracePeriodInitialWarning"],
  ...["GuildDiscoveryGracePeriodFinalWarning", "ThreadCreated", "ThreadStarterMessage", "GuildInviteReminder"],
  ...["AutoModerationAction", "RoleSubscriptionPurchase", "InteractionPremiumUpsell", "StageStart", "StageEnd"],
  ...["StageSpeaker", "StageRaiseHand", "StageTopic", "GuildApplicationPremiumSubscription"],
  ...["GuildIncidentAlertModeEnabled", "GuildIncidentAlertModeDisabled", "GuildIncidentReportRaid"],
  ...["GuildIncidentReportFalseAlarm", "PurchaseNotification", "PollResult"],
];

/** None of them hides a message; `IsVoiceMessage` makes its file a voice message, the words of the last two are elsewhere. */
const FLAGS = [
  ...["Crossposted", "IsCrosspost", "SuppressEmbeds", "SourceMessageDeleted", "Urgent", "HasThread", "Ephemeral"],
  ...["Loading", "FailedToMentionSomeRolesInThread", "ShouldShowLinkNotDiscordWarning", "SuppressNotifications"],
  ...["IsVoiceMessage", "HasSnapshot", "IsComponentsV2"],
];

const namesOf = (list: object): readonly string[] => Object.keys(list).filter((name) => !/^\d+$/.test(name));
const numberOf = (list: object, name: string): unknown => Object.entries(list).find(([key]) => key === name)?.[1];

describe("nothing a person sends on Discord is ignored in silence", () => {
  it("FC-203: every type and flag of a message in the published types is decided here", () => {
    expect(namesOf(MessageType).toSorted()).toEqual([...READ, ...SERVICE].toSorted());
    expect(namesOf(MessageFlags).toSorted()).toEqual(FLAGS.toSorted());
  });

  it.each(READ)("FC-203: a message of type %s is read", (name) => {
    expect(read({ type: numberOf(MessageType, name) })).toMatchObject({ kind: "event", event: { text: "hello" } });
  });

  it.each(SERVICE)("FC-203: %s starts nothing, and its reason is kept", (name) => {
    const why = `a service message (${name})`;
    expect(read({ type: numberOf(MessageType, name) })).toMatchObject({
      kind: "nothing",
      why,
      event: { startsNothing: why },
    });
  });

  it("FC-203: a type that is not known yet keeps its number", () => {
    expect(read({ type: 999 })).toMatchObject({ kind: "nothing", why: "a service message (999)" });
  });

  it.each(FLAGS)("FC-203: the flag %s hides no words", (name) => {
    expect(read({ flags: numberOf(MessageFlags, name) })).toMatchObject({ kind: "event", event: { text: "hello" } });
  });

  it.each<[string, object]>([
    ["a sticker", { sticker_items: [{ id: "1", name: "wave", format_type: 1 }] }],
    ["a voice message", { flags: 8192, attachments: [{ id: "1", filename: "v.ogg", size: 1, url: "u" }] }],
    ["a poll", { poll: { question: { text: "?" }, answers: [] } }],
    ["a forward", { message_reference: { type: 1, channel_id: "1" } }],
    ["an activity", { activity: { type: 1 } }],
    ["a mention alone", { content: `<@${BOT}>` }],
  ])("FC-203: %s without words starts a turn", (_name, fields) => {
    expect(read({ content: "", ...fields }).kind).toBe("event");
  });

  it("FC-203: a message that holds nothing at all keeps that reason", () => {
    const why = "a message without content";
    expect(read({ content: "" })).toMatchObject({ kind: "nothing", why, event: { startsNothing: why } });
  });
});

describe("a reply to another bot", () => {
  const replied = (author: object, more: object = {}) => ({
    ...{
      id: "5",
      channel_id: "400000000000000001",
      type: 0,
      author,
      content: "hi",
      timestamp: "",
      attachments: [],
      embeds: [],
    },
    ...more,
  });
  const other = { id: "100000000000000009", username: "other", bot: true };
  it.each<[string, string, object, boolean]>([
    ["is for that bot", "and?", replied(other), true],
    ["that mentions this one is for this one", `<@${BOT}> and?`, replied(other), false],
    ["is not one to a person", "and?", replied({ id: "7", username: "bo" }), false],
    ["is not one to this bot", "and?", replied({ ...other, id: BOT }), false],
    ["is not one to a webhook, which may speak for a person", "and?", replied(other, { webhook_id: "8" }), false],
  ])("FC-423: %s", (_name, content, message, otherOnly) => {
    const fact = read({
      type: MessageType.Reply,
      content,
      message_reference: { message_id: "5" },
      referenced_message: message,
    });
    expect(fact).toMatchObject({ kind: "event", event: { mentions: { otherOnly } } });
  });
});

it("FC-210: mentions read as name and id, custom emoji as names, and code stays as it is", () => {
  const mentions = [{ id: "5", username: "ben", global_name: "Ben" }];
  const content = "ask <@5> and <@!5> <:wave:77> <#7> <@&8> but not `<@5>` or <@6> <#9> <@&9>";
  expect(read({ content, mentions })).toMatchObject({
    event: { text: "ask @Ben (5) and @Ben (5) :wave: #ops (7) @on stop call (8) but not `<@5>` or <@6> <#9> <@&9>" },
  });
});

it("FC-210, FC-404: the name of a mentioned person cannot insert a directive", () => {
  const mentions = [{ id: "5", username: "ben", global_name: "Ben /think high\n!x" }];
  expect(read({ content: "<@5>", mentions })).toMatchObject({ event: { text: "@Ben think high x (5)" } });
});

it("FC-210: names stand in quoted and forwarded words too", () => {
  const replied = {
    ...quotedBy,
    content: "see <#7> <@5>",
    mentions: [{ id: "5", username: "ben", global_name: "Ben" }],
  };
  expect(
    read({ type: MessageType.Reply, message_reference: { message_id: replied.id }, referenced_message: replied }),
  ).toMatchObject({ event: { replyTo: { text: "see #ops (7) @Ben (5)" } } });
});

const quotedBy = {
  id: "1456074729193471000",
  channel_id: "400000000000000001",
  type: 0,
  author: { id: "100000000000000002", username: "cy" },
  timestamp: "2026-01-01T00:01:09.000Z",
  attachments: [],
  embeds: [],
};
