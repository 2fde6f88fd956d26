import { describe, expect, it } from "vitest";
import { THREAD_BINDING_DEFAULTS } from "../../../config/sections/session.ts";
import { DEFAULT_RESET } from "../../../src/core/session/session.ts";
import { type AdmissionRules, admit, roleLists } from "../../../src/routing/admission.ts";
import { type EventSketch, sketchEvent } from "../../support/inbound.ts";
import { account, doors, place } from "./rows.ts";

const nobody = { config: false, ownerAllowFrom: [], adminAllowFrom: null, allowFrom: null };
const lists = (commands: Partial<Parameters<typeof roleLists>[0]["commands"]> = {}) =>
  roleLists({
    commands: { ...nobody, ...commands },
    session: {
      dmScope: "main",
      groupScope: "main",
      identityLinks: new Map(),
      threadBindings: THREAD_BINDING_DEFAULTS,
      reset: { general: DEFAULT_RESET, byType: new Map(), byChannel: new Map() },
      sendPolicy: { rules: [], default: "allow" },
      maxPingPongTurns: 5,
      chains: { maxTurns: 100, maxModelCalls: 500, maxTokens: 0 },
    },
  });

function rules(changes: Partial<AdmissionRules>): AdmissionRules {
  return {
    account: account("telegram"),
    door: doors.telegram,
    roles: lists(),
    paired: { paired: false, owner: false },
    formerPeerId: null,
    ...changes,
  };
}

function verdict(sketch: EventSketch, changes: Partial<AdmissionRules>): string {
  const admission = admit(sketchEvent(sketch), rules(changes));
  return admission.admitted ? `${admission.role}` : `${admission.why}: ${admission.rule}`;
}

const paired = { paired: true, owner: false };
const group = { kind: "group", id: "-100555", label: null } as const;
const inTopic = (id: string) => ({ kind: "topic", id, label: null }) as const;

describe("IN-5: direct messages", () => {
  it.each([
    [
      "disabled refuses everybody",
      { dmPolicy: "disabled", allowFrom: ["111"] },
      false,
      "access: channels.telegram.dmPolicy is disabled",
    ],
    ["FC-089: a listed sender is admitted", { dmPolicy: "allowlist", allowFrom: ["111"] }, false, "user"],
    [
      "allowlist refuses who is not listed",
      { dmPolicy: "allowlist", allowFrom: ["2"] },
      false,
      "access: channels.telegram.allowFrom does not list 111",
    ],
    [
      "being paired counts under pairing only",
      { dmPolicy: "allowlist" },
      true,
      "access: channels.telegram.allowFrom does not list 111",
    ],
    [
      "pairing asks an unknown sender",
      { dmPolicy: "pairing" },
      false,
      "pairing: channels.telegram.dmPolicy is pairing and 111 is not paired",
    ],
    ["pairing admits a paired one", { dmPolicy: "pairing" }, true, "user"],
    ["pairing admits a listed one", { dmPolicy: "pairing", allowFrom: ["111"] }, false, "user"],
    ["open with a star admits everybody", { dmPolicy: "open", allowFrom: ["*"] }, false, "user"],
    [
      "open without a star admits the listed",
      { dmPolicy: "open", allowFrom: ["2"] },
      false,
      "access: channels.telegram.allowFrom does not list 111",
    ],
  ] as const)("IN-5: %s", (_name, policy, isPaired, expected) => {
    const changes = { account: account("telegram", policy), paired: { paired: isPaired, owner: false } };
    expect(verdict({}, changes)).toBe(expected);
  });

  it("IN-5: the rule names the account whose key decided", () => {
    const second = account("telegram", { accountId: "second" });
    expect(verdict({}, { account: second })).toBe(
      "access: channels.telegram.accounts.second.allowFrom does not list 111",
    );
  });

  it("IN-5: anyone who can open the operator's channel is its owner", () => {
    expect(verdict({ sender: { id: "operator" } }, { account: account("web"), door: doors.web })).toBe("owner");
  });
});

describe("IN-6: groups on Telegram", () => {
  const listed = (entry = place()) => account("telegram", { places: new Map([["-100555", entry]]) });

  it.each([
    ["a listed group", listed(), {}, "user"],
    ["no map at all", account("telegram"), {}, "access: channels.telegram.groups does not list -100555"],
    [
      "a map without the group",
      account("telegram", { places: new Map([["-1", place()]]) }),
      {},
      "access: channels.telegram.groups does not list -100555",
    ],
    ["a star stands for the rest", account("telegram", { places: new Map([["*", place()]]) }), {}, "user"],
    ["open without a map", account("telegram", { groupPolicy: "open" }), {}, "user"],
    [
      "open with a map allows only what it lists",
      account("telegram", { groupPolicy: "open", places: new Map([["-1", place()]]) }),
      {},
      "access: channels.telegram.groups does not list -100555",
    ],
    [
      "disabled",
      account("telegram", { groupPolicy: "disabled", places: new Map([["*", place()]]) }),
      {},
      "access: channels.telegram.groupPolicy is disabled",
    ],
    [
      "an entry that is off",
      listed(place({ enabled: false })),
      {},
      "access: channels.telegram.groups.-100555.enabled is false",
    ],
    ["a listed sender", listed(place({ allowFrom: ["111"] })), {}, "user"],
    [
      "a sender who is not listed",
      listed(place({ allowFrom: ["2"] })),
      {},
      "access: channels.telegram.groups.-100555.allowFrom does not list 111",
    ],
    ["an empty list restricts nobody", listed(place({ allowFrom: [] })), {}, "user"],
    [
      "a topic without an entry falls back to its group",
      listed(place({ places: new Map([["7", place()]]) })),
      { thread: inTopic("8") },
      "user",
    ],
    [
      "a topic inherits the group's senders",
      listed(place({ allowFrom: ["2"], places: new Map([["7", place()]]) })),
      { thread: inTopic("7") },
      "access: channels.telegram.groups.-100555.topics.7.allowFrom does not list 111",
    ],
    [
      "a topic with senders of its own",
      listed(place({ allowFrom: ["2"], places: new Map([["7", place({ allowFrom: ["111"] })]]) })),
      { thread: inTopic("7") },
      "user",
    ],
    [
      "a topic that is off",
      listed(place({ places: new Map([["7", place({ enabled: false })]]) })),
      { thread: inTopic("7") },
      "access: channels.telegram.groups.-100555.topics.7.enabled is false",
    ],
    [
      "SK-9: the General topic is topic 1",
      listed(place({ places: new Map([["1", place({ enabled: false })]]) })),
      {},
      "access: channels.telegram.groups.-100555.topics.1.enabled is false",
    ],
  ] as const)("IN-6: %s", (_name, settings, sketch, expected) => {
    expect(verdict({ peer: group, ...sketch }, { account: settings })).toBe(expected);
  });

  it("FC-085: being paired for DMs, or listed for them, gives no access to a group", () => {
    const settings = account("telegram", {
      dmPolicy: "pairing",
      allowFrom: ["111"],
      places: new Map([["-100555", place({ allowFrom: ["2"] })]]),
    });
    expect(verdict({ peer: group }, { account: settings, paired })).toContain("does not list 111");
  });

  it("SK-9: an entry for the group's former id goes on holding", () => {
    const moved = { ...group, id: "-1009" };
    expect(verdict({ peer: moved }, { account: listed(), formerPeerId: "-100555" })).toBe("user");
  });
});

describe("IN-6: guilds on Discord", () => {
  const channelPeer = { kind: "channel", id: "444", label: null } as const;
  const at = {
    peer: channelPeer,
    guildId: "333",
    route: { channel: "discord", accountId: "default", to: "444", threadId: null },
  };
  const guild = (channels: readonly [string, ReturnType<typeof place>][], entry = {}) =>
    account("discord", { places: new Map([["333", place({ places: new Map(channels), ...entry })]]) });
  const inThread = { ...at, thread: { kind: "thread", id: "999", label: null } } as const;

  it.each([
    ["a guild without a map of channels", guild([]), at, "user"],
    ["a listed channel", guild([["444", place()]]), at, "user"],
    [
      "a channel that is not listed",
      guild([["1", place()]]),
      at,
      "access: channels.discord.guilds.333.channels does not list 444",
    ],
    ["a star among the channels", guild([["*", place()]]), at, "user"],
    [
      "another guild",
      account("discord", { places: new Map([["1", place()]]) }),
      at,
      "access: channels.discord.guilds does not list 333",
    ],
    ["FC-127: a thread falls back to its channel", guild([["444", place()]]), inThread, "user"],
    [
      "a thread of a channel that is not listed",
      guild([["1", place()]]),
      inThread,
      "access: channels.discord.guilds.333.channels does not list 444",
    ],
    [
      "a thread with an entry of its own",
      guild([
        ["444", place()],
        ["999", place({ enabled: false })],
      ]),
      inThread,
      "access: channels.discord.guilds.333.channels.999.enabled is false",
    ],
    [
      "a user who is not listed",
      guild([["444", place({ allowFrom: ["2"], roles: [] })]]),
      at,
      "access: channels.discord.guilds.333.channels.444.users does not list 111",
    ],
    [
      "a role that is listed",
      guild([["444", place({ allowFrom: ["2"], roles: ["r1"] })]]),
      { ...at, sender: { roleIds: ["r1"] } },
      "user",
    ],
    [
      "only roles, and not this one",
      guild([["444", place({ roles: ["r1"] })]]),
      at,
      "access: channels.discord.guilds.333.channels.444.roles does not list 111",
    ],
  ] as const)("IN-6: %s", (_name, settings, sketch, expected) => {
    expect(verdict(sketch, { account: settings, door: doors.discord })).toBe(expected);
  });
});

describe("IN-6: channels on Slack", () => {
  const peer = { kind: "channel", id: "C0123ABC", label: null } as const;
  it("FC-053: ids are compared as they are; the loader folded the configured ones", () => {
    const settings = account("slack", { places: new Map([["C0123ABC", place()]]) });
    expect(verdict({ peer, teamId: "T1" }, { account: settings, door: doors.slack })).toBe("user");
    const other = verdict({ peer: { ...peer, id: "C9" }, teamId: "T1" }, { account: settings, door: doors.slack });
    expect(other).toBe("access: channels.slack.channels does not list C9");
  });
});

describe("IN-4: who is no person", () => {
  const open = { dmPolicy: "open", allowFrom: ["*"] } as const;
  it.each([
    ["the bot's own message", {}, { isSelf: true, isBot: true }, {}, "self: the bot's own message"],
    ["another bot", {}, { isBot: true }, { bot: true }, "bot: channels.telegram.allowBots is false"],
    ["another bot that mentions, allowed so", { allowBots: "mentions" }, { isBot: true }, { bot: true }, "user"],
    [
      "FC-083: a reply ping is no mention",
      { allowBots: "mentions" },
      { isBot: true },
      { replyToBot: true },
      'bot: channels.telegram.allowBots is "mentions" and the message has no inline mention',
    ],
    ["bots allowed", { allowBots: true }, { isBot: true }, {}, "user"],
  ] as const)("IN-4: %s", (_name, settings, sender, mentions, expected) => {
    expect(verdict({ sender, mentions }, { account: account("telegram", { ...open, ...settings }) })).toBe(expected);
  });
});

describe("CM-1, FC-087: roles are one look-up for every surface", () => {
  const open = account("telegram", { dmPolicy: "open", allowFrom: ["*"] });
  it.each([
    ["an owner", { ownerAllowFrom: ["telegram:111"] }, paired, "owner"],
    ["the same id on another channel is nobody", { ownerAllowFrom: ["discord:111"] }, paired, "user"],
    ["an admin", { adminAllowFrom: ["telegram:111"], ownerAllowFrom: ["telegram:2"] }, paired, "admin"],
    ["a paired owner", {}, { paired: true, owner: true }, "owner"],
  ] as const)("CM-1: %s", (_name, commands, pairedFacts, expected) => {
    expect(verdict({}, { account: open, roles: lists(commands), paired: pairedFacts })).toBe(expected);
  });

  it.each([
    ["unset: everybody", null, "user", null],
    ["listed", ["telegram:111"], "user", null],
    ["not listed", ["telegram:2"], "user", "commands.allowFrom does not list telegram:111"],
    ["an empty list denies everyone", [], "user", "commands.allowFrom does not list telegram:111"],
    ["but owners", [], "owner", null],
  ] as const)("CM-8: commands.allowFrom, %s", (_name, allowFrom, role, expected) => {
    const owners = role === "owner" ? ["telegram:111"] : [];
    const roles = lists({ allowFrom, ownerAllowFrom: owners });
    const admission = admit(sketchEvent(), rules({ account: open, roles }));
    expect(admission).toMatchObject({ admitted: true, commandsDenied: expected });
  });
});
