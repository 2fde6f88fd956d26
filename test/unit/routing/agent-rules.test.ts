import { describe, expect, it } from "vitest";
import type { Tree } from "../../../config/load/faults.ts";
import type { AgentBinding, AgentSettings } from "../../../src/core/settings.ts";
import { agentRules, chooseAgent, nameOfAgent } from "../../../src/routing/agent-rules.ts";
import { type EventSketch, sketchEvent } from "../../support/inbound.ts";
import { testSettings } from "../../support/test-settings.ts";
import { binding } from "./rows.ts";

const main = testSettings().agents.get("main") as AgentSettings;
const agents = new Map(["main", "a", "b"].map((id) => [id, { ...main, id }]));
const group = { kind: "group", id: "G1", label: null } as const;
const peer = { kind: "group", id: "G1" } as const;
const topic = { kind: "topic", id: "7", label: null } as const;

function chosen(
  bindings: readonly AgentBinding[],
  sketch: EventSketch = {},
  entry: { agentId: string; own: boolean } | null = null,
): string {
  const rules = agentRules({ bindings, agents, defaultAgentId: "main" });
  const place = entry === null ? null : { path: "channels.x.groups.G1", ...entry };
  const choice = chooseAgent(rules, sketchEvent({ peer: group, ...sketch }), place);
  return choice.chosen ? `${choice.agentId} by ${choice.rule}` : choice.rule;
}

describe("IN-8: first match wins", () => {
  const channel = binding("a", { channel: "telegram" });
  it.each([
    ["the default agent", [], {}, "main by default agent"],
    ["the channel", [channel], {}, "a by bindings[0]"],
    ["another channel", [binding("a", { channel: "slack" })], {}, "main by default agent"],
    [
      "account before channel",
      [channel, binding("b", { channel: "telegram", accountId: "default" })],
      {},
      "b by bindings[1]",
    ],
    ["another account", [binding("a", { channel: "telegram", accountId: "second" })], {}, "main by default agent"],
    [
      "team before account",
      [binding("a", { accountId: "default" }), binding("b", { teamId: "T1" })],
      { teamId: "T1" },
      "b by bindings[1]",
    ],
    [
      "guild before team",
      [binding("a", { teamId: "T1" }), binding("b", { guildId: "333" })],
      { teamId: "T1", guildId: "333" },
      "b by bindings[1]",
    ],
    [
      "guild with roles before guild",
      [binding("a", { guildId: "333" }), binding("b", { guildId: "333", roles: ["r"] })],
      { guildId: "333", sender: { roleIds: ["r"] } },
      "b by bindings[1]",
    ],
    [
      "a role the sender has not",
      [binding("a", { guildId: "333" }), binding("b", { guildId: "333", roles: ["r"] })],
      { guildId: "333" },
      "a by bindings[0]",
    ],
    [
      "peer wildcard before guild",
      [binding("a", { guildId: "333" }), binding("b", { peer: { kind: "group", id: "*" } })],
      { guildId: "333" },
      "b by bindings[1]",
    ],
    ["a wildcard of another kind", [binding("b", { peer: { kind: "direct", id: "*" } })], {}, "main by default agent"],
    [
      "exact peer before wildcard",
      [binding("a", { peer: { kind: "group", id: "*" } }), binding("b", { peer })],
      {},
      "b by bindings[1]",
    ],
    ["all fields must match", [binding("a", { channel: "slack", peer })], {}, "main by default agent"],
    [
      "FC-043: a thread inherits its channel",
      [binding("a", { peer })],
      { thread: { kind: "thread", id: "T9", label: null } },
      "a by bindings[0]",
    ],
    [
      "a thread's own binding before its channel's",
      [binding("a", { peer }), binding("b", { peer: { kind: "group", id: "T9" } })],
      { thread: { kind: "thread", id: "T9", label: null } },
      "b by bindings[1]",
    ],
    [
      "a topic is named with its group",
      [binding("a", { peer: { kind: "group", id: "7" } }), binding("b", { peer: { kind: "group", id: "G1:topic:7" } })],
      { thread: topic },
      "b by bindings[1]",
    ],
    [
      "the order of the file within a tier",
      [binding("a", { channel: "telegram" }), binding("b", { channel: "telegram" })],
      {},
      "a by bindings[0]",
    ],
  ] as const)("IN-8: %s", (_name, bindings, sketch, expected) => {
    expect(chosen(bindings, sketch)).toBe(expected);
  });

  it("IN-8: a topic's own agentId is more exact than a binding of its group, the group's own is not", () => {
    const bindings = [binding("a", { peer })];
    expect(chosen(bindings, { thread: topic }, { agentId: "b", own: true })).toBe("b by channels.x.groups.G1.agentId");
    expect(chosen(bindings, {}, { agentId: "b", own: false })).toBe("a by bindings[0]");
    expect(chosen([], {}, { agentId: "b", own: false })).toBe("b by channels.x.groups.G1.agentId");
  });

  it("IN-8: several agents and no default: the refusal names the missing binding; a single agent needs none", () => {
    const several = agentRules({ bindings: [], agents, defaultAgentId: null });
    expect(chooseAgent(several, sketchEvent({ peer: group }), null)).toEqual({
      chosen: false,
      rule: 'no entry of bindings[] matches { channel: "telegram", accountId: "default", peer: { kind: "group", id: "G1" } }, and there is no default agent',
    });
    const single = agentRules({ bindings: [], agents: new Map([["a", main]]), defaultAgentId: null });
    expect(chooseAgent(single, sketchEvent(), null)).toMatchObject({ chosen: true, agentId: "a" });
  });
});

describe("the name of the agent that answers", () => {
  const route = { channel: "web", accountId: "default", to: "general", threadId: null } as const;
  const facts = { route, peer: { kind: "channel", id: "general", label: null }, thread: { kind: "none" } } as const;
  const withEntries = (entries: Tree, bindings: Tree[] = []) => testSettings({ agents: { entries }, bindings });

  it("FC-338: is its own, and none when the only agent has none", () => {
    expect(nameOfAgent(testSettings(), facts)).toBeNull();
    expect(nameOfAgent(withEntries({ main: { default: true, name: "Harbour" } }), facts)).toBe("Harbour");
  });

  it("FC-338: follows the bindings, and tells several nameless agents apart by their ids", () => {
    const entries = { main: { default: true }, tides: {} };
    const bindings = [{ agentId: "tides", match: { channel: "web", peer: { kind: "channel", id: "general" } } }];
    expect(nameOfAgent(withEntries(entries, bindings), facts)).toBe("tides");
    expect(nameOfAgent(withEntries(entries), facts)).toBe("main");
  });
});
