import { describe, expect, it } from "vitest";
import { routingIndex } from "../../../src/routing/agent-rules.ts";
import { createCommandGate } from "../../../src/routing/command-gate.ts";
import { type DecisionContext, decide, type StoredFacts } from "../../../src/routing/decide.ts";
import { type EventSketch, sketchEvent } from "../../support/inbound.ts";
import { testSettings } from "../../support/test-settings.ts";
import { account, doors, place } from "./rows.ts";

const now = Date.UTC(2026, 0, 1);
const nothing: StoredFacts = {
  paired: { paired: false, owner: false },
  pairedOwners: 0,
  formerPeerId: null,
  bound: null,
  activation: null,
  participated: false,
  commandIsFor: null,
  albumAddressed: false,
  botTurnsSinceHuman: 0,
  senderRate: { started: 0, commands: 0, refused: 0 },
};
const slack: DecisionContext = {
  index: routingIndex(testSettings()),
  account: account("slack", { places: new Map([["C1", place()]]), replyToMode: "all" }),
  door: doors.slack,
  commands: createCommandGate(new Map([["stop", "stop"]]), () => false),
  stored: nothing,
  platformNow: now,
};
const post: EventSketch = {
  peer: { kind: "channel", id: "C1", label: "general" },
  route: { channel: "slack", accountId: "default", to: "C1", threadId: null },
  teamId: "T1",
  thread: { kind: "root", id: "5.1", label: null },
};
const base = "agent:main:slack:channel:C1";

describe("the decision on a post in a Slack channel", () => {
  it("SK-8, IN-7: an unaddressed root is kept with the channel, and an addressed one is shown what was kept there", () => {
    expect(decide(sketchEvent(post), slack)).toMatchObject({ decision: "keep", key: base });
    const decision = decide(sketchEvent({ ...post, mentions: { bot: true } }), slack);
    expect(decision).toMatchObject({
      decision: "message",
      start: {
        place: {
          key: `${base}:thread:5.1`,
          route: { threadId: "5.1" },
          parent: { key: base, route: { threadId: null } },
        },
        contextKeys: [`${base}:thread:5.1`, base],
      },
    });
  });

  it("SK-8: where no mention is needed every root starts its thread", () => {
    const open = account("slack", { places: new Map([["C1", place({ requireMention: false })]]), replyToMode: "all" });
    const decision = decide(sketchEvent(post), { ...slack, account: open });
    expect(decision).toMatchObject({ decision: "message", start: { place: { key: `${base}:thread:5.1` } } });
  });

  it("CM-2: what Slack cannot send as a slash command works with an exclamation mark or after the mention", () => {
    for (const sketch of [{ text: "!stop" }, { text: "stop", mentions: { bot: true } }]) {
      expect(decide(sketchEvent({ ...post, ...sketch }), slack)).toMatchObject({
        decision: "command",
        command: { name: "stop" },
      });
    }
    expect(decide(sketchEvent({ ...post, text: "stop" }), slack)).toMatchObject({ decision: "keep" });
  });

  it("FC-190: access comes first: neither a binding, a mention nor a command lets a stranger in", () => {
    const stored = { ...nothing, bound: "agent:main:subagent:x" as never, participated: true };
    const elsewhere = {
      ...post,
      peer: { kind: "channel", id: "C9", label: null } as const,
      mentions: { bot: true },
      text: "!stop",
    };
    expect(decide(sketchEvent(elsewhere), { ...slack, stored })).toEqual({
      decision: "refuse",
      result: "refused",
      rule: "channels.slack.channels does not list C9",
      tell: null,
    });
  });

  it("IN-8: an agent that is not configured is named in the refusal", () => {
    const ghost = account("slack", { places: new Map([["C1", place({ agentId: "ghost" })]]) });
    expect(decide(sketchEvent({ ...post, mentions: { bot: true } }), { ...slack, account: ghost })).toMatchObject({
      result: "refused",
      rule: 'channels.slack.channels.C1.agentId names agent "ghost", which is not configured',
      tell: "no agent",
    });
  });

  it("IN-14: only what would have been answered is stale", () => {
    const old = { ...post, sentAt: now - 16 * 60_000 };
    expect(decide(sketchEvent({ ...old, mentions: { bot: true } }), slack)).toMatchObject({ result: "stale" });
    expect(decide(sketchEvent(old), slack)).toMatchObject({ decision: "keep" });
  });

  it("CM-8: who may use no commands has no directives either", () => {
    const index = routingIndex(testSettings({ commands: { allowFrom: [] } }));
    const commands = createCommandGate(new Map([["think", "think"]]), () => false);
    const text = "/think high why";
    const decision = decide(sketchEvent({ ...post, text, mentions: { bot: true } }), { ...slack, index, commands });
    expect(decision).toMatchObject({ decision: "message", text, thinking: null });
  });
});
