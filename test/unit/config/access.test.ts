// biome-ignore-all lint/suspicious/noTemplateCurlyInString: "${NAME}" is the configuration's own syntax.
import { expect, test } from "vitest";
import type { Tree } from "../../../config/load/faults.ts";
import { describePolicy } from "../../../config/load/policy-text.ts";
import { testCatalog, testSettings } from "../../support/test-settings.ts";
import { faultLines, warningLines } from "./fault-lines.ts";

const env = { FIRST: "1:abcdef", SECOND: "2:abcdef" };
const telegram = (keys: Tree): Tree => ({
  channels: { web: { enabled: false }, telegram: { botToken: "${FIRST}", ...keys } },
});

test("IN-5: an open door needs the star in allowFrom", () => {
  expect(faultLines(telegram({ dmPolicy: "open", allowFrom: ["1"] }), { env })).toEqual([
    'channels.telegram.dmPolicy: "open" lets everyone in, but allowFrom does not contain "*". Set allowFrom: ["*"], or use "pairing" or "allowlist".',
  ]);
  expect(faultLines(telegram({ dmPolicy: "open", allowFrom: ["*"] }), { env })).toEqual([]);
});

test("FC-088: an account cannot be opened over the channel's list without spelling the star out", () => {
  const tree = telegram({
    dmPolicy: "allowlist",
    allowFrom: [1],
    accounts: { second: { botToken: "${SECOND}", dmPolicy: "open" } },
  });
  expect(faultLines(tree, { env })).toEqual([
    'channels.telegram.accounts.second.dmPolicy: "open" lets everyone in, but allowFrom does not contain "*". Set allowFrom: ["*"], or use "pairing" or "allowlist".',
  ]);
});

test("FC-088: an account that is wider than its channel is warned about aloud", () => {
  const second = { botToken: "${SECOND}", dmPolicy: "open", allowFrom: ["*"], groupPolicy: "open" };
  expect(warningLines(telegram({ dmPolicy: "allowlist", allowFrom: [1], accounts: { second } }), { env })).toEqual([
    'channels.telegram.accounts.second.dmPolicy: "open" is wider than the channel\'s "allowlist". Check that telegram/second should be wider than channels.telegram.',
    'channels.telegram.accounts.second.groupPolicy: "open" is wider than the channel\'s "allowlist". Check that telegram/second should be wider than channels.telegram.',
    'channels.telegram.accounts.second.allowFrom: "*" lets everyone in, but the channel\'s list does not. Check that telegram/second should be wider than channels.telegram.',
  ]);
});

test("FC-053: ids are folded by the adapter's own rule, whichever way they are written", () => {
  const settings = testSettings(
    telegram({ allowFrom: [111, "tg:222", " telegram:333 ", "111"], groups: { "telegram:-100555": {} } }),
    { env },
  );
  expect(settings.accounts[0]?.allowFrom).toEqual(["111", "222", "333"]);
  expect([...(settings.accounts[0]?.places.keys() ?? [])]).toEqual(["-100555"]);
});

test("FC-053: an id that cannot be one on its platform is a fault, not a rule that never matches", () => {
  expect(faultLines(telegram({ allowFrom: ["@ann"], groups: { "my group": {} } }), { env })).toEqual([
    'channels.telegram.allowFrom[0]: "@ann" is not a valid id on telegram. Use an id such as 111222333 (a number; /whoami shows it).',
    'channels.telegram.groups["my group"]: "my group" is not a valid id on telegram. Use an id such as -1001234567890 (a number; topics: 7).',
  ]);
});

test("FC-053: two spellings of one place are a fault", () => {
  expect(faultLines(telegram({ groups: { "-5": {}, "tg:-5": { enabled: false } } }), { env })).toEqual([
    'channels.telegram.groups["tg:-5"]: -5 is listed twice. Keep one of the entries.',
  ]);
});

test("IN-6: accounts inherit the channel's keys, and a map of theirs replaces it", () => {
  const tree = telegram({
    allowFrom: ["1"],
    maxBotTurns: 3,
    groups: { "-1": { requireMention: false } },
    accounts: { second: { botToken: "${SECOND}", groups: { "-2": {} } }, third: { botToken: "3:abcdef" } },
  });
  const accounts = testSettings(tree, { env }).accounts;
  expect(
    accounts.map((account) => [account.accountId, account.maxBotTurns, [...account.places.keys()], account.allowFrom]),
  ).toEqual([
    ["default", 3, ["-1"], ["1"]],
    ["second", 3, ["-2"], ["1"]],
    ["third", 3, ["-1"], ["1"]],
  ]);
});

test("rule 8: two accounts on one bot token are a fault", () => {
  expect(faultLines(telegram({ accounts: { second: { botToken: "${FIRST}" }, third: {} } }), { env })).toEqual([
    'channels.telegram.accounts.second.botToken: is the same value that account "default" uses. Give each account its own bot.',
    'channels.telegram.accounts.third.botToken: inherits the channel\'s value, which account "default" already uses. Give each account its own bot.',
  ]);
});

test("IN-6: accounts alone need no bot at the top level", () => {
  const tree = { channels: { telegram: { accounts: { second: { botToken: "${SECOND}" } } } } };
  expect(testSettings(tree, { env }).accounts.map((account) => `${account.channel}/${account.accountId}`)).toEqual([
    "web/default",
    "telegram/second",
  ]);
});

test("IN-6: an account without a token says where it belongs", () => {
  expect(faultLines({ channels: { telegram: {} } })).toEqual([
    "channels.telegram.botToken: is missing. Add text in quotes.",
  ]);
});

test("CH-3: webhook mode needs its section, and Telegram calls only https", () => {
  expect(faultLines(telegram({ mode: "webhook" }), { env })).toEqual([
    'channels.telegram.webhook: is missing, but mode is "webhook". Add it.',
  ]);
  const webhook = { url: "http://example.org/x", secretToken: "${SECOND_SECRET}" };
  expect(faultLines(telegram({ mode: "webhook", webhook }), { env: { ...env, SECOND_SECRET: "abcdefghij" } })).toEqual([
    'channels.telegram.webhook.url: must begin with https://, because Telegram calls only such addresses. It is "http://example.org/x".',
  ]);
});

test("IN-6: the effective policy is one line per account", () => {
  const groups = {
    "-5": { topics: { "7": { agentId: "main", requireMention: false } } },
    "*": { enabled: false, allowFrom: ["9"] },
  };
  const tree = {
    channels: {
      telegram: {
        botToken: "${FIRST}",
        allowFrom: ["1"],
        groups,
        allowBots: "mentions",
        accounts: { second: { botToken: "${SECOND}", dmPolicy: "allowlist", allowFrom: [], groups: {} } },
      },
    },
  };
  expect(describePolicy(testSettings(tree, { env }), testCatalog.channels)).toEqual([
    "web/default: direct messages: everyone; groups: all, without a mention; bots: ignored",
    "telegram/default: direct messages: 1 and paired people; groups: -5 (7 (without a mention; agent main)), all others (disabled; only 9); bots: answered when they mention the bot",
    "telegram/second: direct messages: no one (allowFrom is empty); groups: none (the list is empty); bots: answered when they mention the bot",
  ]);
});

test("FC-424: one session for all direct chats is a warning as soon as several people can write", () => {
  const warned = (telegram: object, session: object = {}): boolean =>
    warningLines({
      session: { dmScope: "main", ...session },
      channels: { telegram: { botToken: "1:abcdef", ...telegram } },
    }).some((line) => line.startsWith('session.dmScope: "main" puts the direct messages of several people'));
  expect(warned({ dmPolicy: "allowlist", allowFrom: [1, 2] })).toBe(true);
  expect(warned({ dmPolicy: "pairing" })).toBe(true);
  expect(warned({ dmPolicy: "allowlist", allowFrom: [1] })).toBe(false);
  expect(warned({ dmPolicy: "disabled", allowFrom: [1, 2] })).toBe(false);
  const links = { identityLinks: { ann: ["telegram:1", "telegram:2"] } };
  expect(warned({ dmPolicy: "allowlist", allowFrom: [1, 2] }, links)).toBe(false);
  expect(warned({ dmPolicy: "allowlist", allowFrom: [1, 2] }, { dmScope: "per-channel-peer" })).toBe(false);
});

test("FC-424: an id that stands for several people is a warning wherever people are listed", () => {
  const warned = (telegram: object, more: object = {}): readonly string[] =>
    warningLines({
      channels: { telegram: { botToken: "1:abcdef", dmPolicy: "allowlist", ...telegram } },
      ...more,
    }).filter((line) => line.includes("is not one person"));
  expect(warned({ allowFrom: [1, 2] })).toEqual([]);
  for (const id of [1087968824, 136817688, 777000, -1001234567890]) {
    expect(warned({ allowFrom: [1, id] })).toEqual([
      expect.stringContaining(`channels.telegram.allowFrom[1]: ${id} is`),
    ]);
    expect(warned({ allowFrom: [1], groups: { "-5": { allowFrom: [id] } } })).toHaveLength(1);
    expect(warned({ allowFrom: [1] }, { commands: { ownerAllowFrom: [`telegram:${id}`] } })).toHaveLength(1);
  }
});
