import { describe, expect, it } from "vitest";
import { type KeyFacts, type KeyScope, resolveKey } from "../../../src/routing/places.ts";
import { facts } from "./rows.ts";

const scope: KeyScope = {
  agentId: "main",
  dmScope: "per-channel-peer",
  groupScope: "per-group",
  identityLinks: new Map(),
  replyToMode: "first",
  addressed: true,
};

type Row = readonly [
  name: string,
  facts: KeyFacts,
  change: Partial<KeyScope>,
  key: string,
  threadId: string | null,
  parentKey?: string,
];

function check(rows: readonly Row[]): void {
  const cases = rows.map(([name, event, change, key, threadId, parentKey]) => ({
    name,
    event,
    change,
    key,
    threadId,
    parentKey,
  }));
  it.each(cases)("SK-11: $name", ({ event, change, key, threadId, parentKey }) => {
    const resolved = resolveKey(event, { ...scope, ...change });
    expect({ key: resolved.key, threadId: resolved.route.threadId, parent: resolved.parent?.key }).toEqual({
      key: `agent:main:${key}`,
      threadId,
      parent: parentKey === undefined ? undefined : `agent:main:${parentKey}`,
    });
    expect(resolved.route).toMatchObject({ channel: event.route.channel, accountId: "default", to: event.route.to });
  });
}

it("FC-133: with threading off a mention in a channel is answered in the channel itself, on every platform", () => {
  for (const [channel, kind] of [
    ["discord", "channel"],
    ["slack", "channel"],
    ["telegram", "group"],
  ] as const) {
    const { key, route } = resolveKey(facts(channel, kind), { ...scope, replyToMode: "off" });
    expect([key, route.threadId]).toEqual([`agent:main:${channel}:${kind}:${kind === "group" ? "G1" : "C1"}`, null]);
  }
});

describe("SK-7, SK-11: Discord", () => {
  check([
    ["a channel message", facts("discord", "channel"), {}, "discord:channel:C1", null],
    [
      "a channel message, threading off",
      facts("discord", "channel"),
      { replyToMode: "off" },
      "discord:channel:C1",
      null,
    ],
    [
      "a message in a thread",
      facts("discord", "channel", "thread"),
      {},
      "discord:channel:C1:thread:T1",
      "T1",
      "discord:channel:C1",
    ],
    [
      "a message in a thread, threading off",
      facts("discord", "channel", "thread"),
      { replyToMode: "off" },
      "discord:channel:C1:thread:T1",
      "T1",
      "discord:channel:C1",
    ],
    ["a DM, by user id", facts("discord", "direct"), {}, "discord:direct:U1", null],
  ]);

  it("SK-5, SK-7: a forum post is keyed under the forum, whose session announces nowhere", () => {
    const forum = facts("discord", "channel", "thread");
    const post = { kind: "thread", id: "P1", label: "Post", parentHoldsNoMessages: true } as const;
    const resolved = resolveKey({ ...forum, thread: post }, scope);
    expect(resolved.key).toBe("agent:main:discord:channel:C1:thread:P1");
    expect(resolved.parent).toEqual({ key: "agent:main:discord:channel:C1", route: null });
  });
});

describe("SK-8, SK-11: Slack", () => {
  const all = { replyToMode: "all" } as const;
  const off = { replyToMode: "off" } as const;
  const quiet = { addressed: false } as const;
  const thread = "slack:channel:C1:thread:T1";
  check([
    [
      "FC-048: an addressed root in a channel",
      facts("slack", "channel", "root"),
      all,
      thread,
      "T1",
      "slack:channel:C1",
    ],
    ["FC-048: the reply to that root", facts("slack", "channel", "thread"), all, thread, "T1", "slack:channel:C1"],
    ["an unaddressed root", facts("slack", "channel", "root"), { ...all, ...quiet }, "slack:channel:C1", null],
    ["an addressed root, threading off", facts("slack", "channel", "root"), off, "slack:channel:C1", null],
    ["a thread reply, threading off", facts("slack", "channel", "thread"), off, thread, "T1", "slack:channel:C1"],
    ["an MPIM root", facts("slack", "group", "root"), all, "slack:group:G1:thread:T1", "T1", "slack:group:G1"],
    ["an MPIM root, threading off", facts("slack", "group", "root"), off, "slack:group:G1", null],
    [
      "an MPIM thread reply",
      facts("slack", "group", "thread"),
      all,
      "slack:group:G1:thread:T1",
      "T1",
      "slack:group:G1",
    ],
    ["FC-049: an ordinary DM, whose thread_ts is its ts", facts("slack", "direct"), all, "slack:direct:U1", null],
    [
      "an assistant view's root",
      facts("slack", "direct", "root"),
      off,
      "slack:direct:U1:thread:T1",
      "T1",
      "slack:direct:U1",
    ],
    [
      "a reply in an assistant thread",
      facts("slack", "direct", "thread"),
      off,
      "slack:direct:U1:thread:T1",
      "T1",
      "slack:direct:U1",
    ],
  ]);

  it("SK-8: a thread of an ordinary DM shares the DM's session and is answered in the thread", () => {
    const dm = facts("slack", "direct");
    const resolved = resolveKey({ ...dm, route: { ...dm.route, threadId: "5.5" } }, scope);
    expect(resolved).toMatchObject({ key: "agent:main:slack:direct:U1", parent: null, route: { threadId: "5.5" } });
  });
});

describe("SK-9, SK-11: Telegram", () => {
  check([
    ["a group", facts("telegram", "group"), {}, "telegram:group:G1", null],
    ["a group, threading off", facts("telegram", "group"), { replyToMode: "off" }, "telegram:group:G1", null],
    ["FC-136: a reply chain outside a forum", facts("telegram", "group", "none"), {}, "telegram:group:G1", null],
    ["the General topic", facts("telegram", "group", "none"), {}, "telegram:group:G1", null],
    [
      "a forum topic",
      facts("telegram", "group", "topic", "7"),
      {},
      "telegram:group:G1:topic:7",
      "7",
      "telegram:group:G1",
    ],
    ["a channel post", facts("telegram", "channel"), {}, "telegram:channel:C1", null],
    ["a private chat", facts("telegram", "direct"), {}, "telegram:direct:U1", null],
    [
      "a private topic",
      facts("telegram", "direct", "thread", "3"),
      {},
      "telegram:direct:U1:thread:3",
      "3",
      "telegram:direct:U1",
    ],
  ]);
});

describe("SK-11: the web page", () => {
  check([
    ["the operator's conversation", facts("web", "direct"), {}, "web:direct:U1", null],
    ["a channel", facts("web", "channel"), {}, "web:channel:C1", null],
    ["a thread", facts("web", "channel", "thread"), {}, "web:channel:C1:thread:T1", "T1", "web:channel:C1"],
  ]);
});

describe("SK-10: scopes", () => {
  const dm = facts("telegram", "direct");
  const links = new Map([["telegram:U1", "ann"]]);
  check([
    ["dmScope main", dm, { dmScope: "main" }, "main", null],
    ["dmScope per-peer", dm, { dmScope: "per-peer" }, "direct:U1", null],
    ["dmScope per-peer with a linked identity", dm, { dmScope: "per-peer", identityLinks: links }, "direct:ann", null],
    ["links apply to per-peer only", dm, { identityLinks: links }, "telegram:direct:U1", null],
    [
      "dmScope per-account-channel-peer",
      dm,
      { dmScope: "per-account-channel-peer" },
      "telegram:default:direct:U1",
      null,
    ],
    ["dmScope says nothing about groups", facts("telegram", "group"), { dmScope: "main" }, "telegram:group:G1", null],
    ["groupScope main", facts("telegram", "group"), { groupScope: "main" }, "main", null],
    [
      "groupScope main in a topic",
      facts("telegram", "group", "topic", "7"),
      { groupScope: "main" },
      "main:topic:7",
      "7",
      "main",
    ],
    ["groupScope says nothing about DMs", dm, { groupScope: "main" }, "telegram:direct:U1", null],
  ]);

  it("SK-1, FC-091: a group seen by another account has the account in its key and its route", () => {
    const group = facts("telegram", "group");
    const resolved = resolveKey({ ...group, route: { ...group.route, accountId: "second" } }, scope);
    expect(resolved.key).toBe("agent:main:telegram:second:group:G1");
    expect(resolved.route.accountId).toBe("second");
  });

  it("SK-2, FC-052: ids keep their case, and separators inside them are encoded", () => {
    const odd = facts("slack", "channel");
    expect(resolveKey({ ...odd, peer: { ...odd.peer, id: "C0:a%b" } }, scope).key).toBe(
      "agent:main:slack:channel:C0%3Aa%25b",
    );
  });
});
