import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { OPERATOR_RIGHTS, type Rights } from "../../../src/core/session/rights.ts";
import type { Settings } from "../../../src/core/settings.ts";
import { TOOL_NAMES } from "../../../src/tools/names.ts";
import { createEffectiveTools, decideTools, type GatedTool } from "../../../src/tools/policy.ts";
import { TOOLS } from "../../../src/tools/registry.ts";
import { testSettings } from "../../support/test-settings.ts";

const LAYER = z.object({ allow: z.array(z.string()).optional(), deny: z.array(z.string()).optional() });
const user: Rights = { role: "user", sender: { channel: "discord", accountId: "default", id: "7" }, group: null };

function decide(
  settings: Settings,
  options: { readonly depth?: number; readonly rights?: Rights; readonly tools?: readonly GatedTool[] } = {},
) {
  const agent = settings.agents.get("main");
  if (agent === undefined) throw new Error("no agent");
  return decideTools(options.tools ?? TOOLS, {
    settings,
    agent,
    session: { depth: options.depth ?? 0 },
    rights: options.rights ?? OPERATOR_RIGHTS,
    model: agent.model,
  });
}

const namesOf = ({ tools }: { readonly tools: readonly GatedTool[] }) => tools.map(({ name }) => name);

function names(tools: Parameters<typeof testSettings>[0], options: Parameters<typeof decide>[1] = {}) {
  return namesOf(decide(testSettings(tools), options));
}

describe("profiles and narrowing", () => {
  it("TP-1: the default profile is coding, minimal has the status only", () => {
    expect(names({})).toContain("sessions_spawn");
    expect(names({})).not.toContain("message");
    expect(names({ tools: { profile: "minimal" } })).toEqual(["session_status"]);
    expect(names({ tools: { profile: "full" } })).toEqual(TOOL_NAMES);
    expect(names({ tools: { profile: "messaging" } })).not.toContain("sessions_spawn");
  });

  it.each([
    [
      "alsoAllow adds before narrowing",
      { profile: "minimal", alsoAllow: ["sessions_list"] },
      ["session_status", "sessions_list"],
    ],
    [
      "allow narrows and never adds",
      { profile: "minimal", allow: ["sessions_list", "session_status"] },
      ["session_status"],
    ],
    [
      "deny always wins",
      { profile: "minimal", alsoAllow: ["sessions_list"], deny: ["sessions_list"] },
      ["session_status"],
    ],
    ["a group means all its tools", { deny: ["group:sessions"] }, []],
    [
      "a wildcard means every match",
      { allow: ["sessions_*"], deny: ["*_send"] },
      ["sessions_list", "sessions_history", "sessions_search", "sessions_spawn", "sessions_yield"],
    ],
  ])("TP-2: %s", (_what, tools, expected) => {
    expect(names({ tools })).toEqual(expected);
  });

  it("TP-2: an agent's own profile and additions replace the global ones", () => {
    const agents = {
      defaults: { model: "demo/switchyard" },
      entries: { main: { default: true, tools: { profile: "minimal", alsoAllow: ["agents_list"] } } },
    };
    expect(names({ agents, tools: { profile: "full", alsoAllow: ["sessions_list"] } })).toEqual([
      "session_status",
      "agents_list",
    ]);
  });

  it("TP-2: model provider and sender narrow; a sender's entry stands in for `*`", () => {
    const config = {
      tools: {
        byProvider: { "demo/*": { deny: ["sessions_spawn"] }, "demo/switchyard": { deny: ["sessions_send"] } },
        toolsBySender: { "web:7": { allow: ["*"] }, "*": { deny: ["subagents"] } },
      },
    };
    const seven: Rights = { role: "user", sender: { channel: "web", accountId: "default", id: "7" }, group: null };
    const eight: Rights = { role: "user", sender: { channel: "web", accountId: "default", id: "8" }, group: null };
    expect(names(config, { rights: seven })).toContain("subagents");
    expect(names(config, { rights: seven })).not.toContain("sessions_spawn");
    expect(names(config, { rights: seven })).not.toContain("sessions_send");
    expect(names(config, { rights: eight })).not.toContain("subagents");
  });

  it("TP-2: a group's and its topic's layers narrow the turns of that place only", () => {
    const config = {
      channels: {
        telegram: {
          botToken: "1:abcdefghijklmnopqrstuvwxyzabcdefghi",
          groups: {
            "-100": { tools: { deny: ["sessions_list"] }, topics: { "7": { tools: { deny: ["subagents"] } } } },
          },
        },
      },
    };
    const place = { channel: "telegram", accountId: "default", id: "-100", formerId: null, guildId: null };
    const topic = names(config, { rights: { ...user, group: { ...place, topicId: "7" } } });
    expect(topic).not.toContain("sessions_list");
    expect(topic).not.toContain("subagents");
    expect(names(config, { rights: { ...user, group: { ...place, topicId: null } } })).toContain("subagents");
  });

  it("TP-2: an allowlist that leaves nothing is named; a deny that does is not an error", () => {
    expect(decide(testSettings({ tools: { allow: ["no_such_tool"] } })).emptyBy).toBe("tools.allow");
    expect(decide(testSettings({ tools: { deny: ["*"] } }))).toMatchObject({ tools: [], emptyBy: null });
    expect(decide(testSettings({})).emptyBy).toBeNull();
  });

  it("ST-40: a tool for owners is not offered to others", () => {
    const full = { tools: { profile: "full" } };
    expect(names(full)).toContain("message");
    expect(names(full, { rights: user })).not.toContain("message");
  });

  it("TP-3: every removed tool names the layer that took it", () => {
    const { removed } = decide(testSettings({ tools: { profile: "messaging", deny: ["sessions_list"] } }), {
      depth: 1,
    });
    const layers = new Map(removed.map(({ tool, layer }) => [tool, layer]));
    expect(layers.get("sessions_spawn")).toBe("profile messaging");
    expect(layers.get("sessions_list")).toBe("tools.deny");
    expect(layers.get("sessions_send")).toBe("sub-agents");
    expect(layers.get("sessions_history")).toBe("sub-agents at maxSpawnDepth 1");
  });
});

describe("sub-agents", () => {
  const deep = {
    agents: {
      defaults: { model: "demo/switchyard", subagents: { maxSpawnDepth: 2 } },
      entries: { main: { default: true } },
    },
  };

  it("TP-4: a leaf keeps its status only, an orchestrator what it needs for its children", () => {
    expect(names({}, { depth: 1 })).toEqual(["session_status"]);
    expect(names(deep, { depth: 1 })).toEqual([
      "session_status",
      "sessions_list",
      "sessions_history",
      "sessions_search",
      "sessions_spawn",
      "sessions_yield",
      "subagents",
    ]);
    expect(names(deep, { depth: 2 })).toEqual(["session_status"]);
  });

  it("TP-4: tools.subagents.tools narrows children further and nobody else", () => {
    const config = { ...deep, tools: { subagents: { tools: { deny: ["sessions_spawn"] } } } };
    expect(names(config, { depth: 1 })).not.toContain("sessions_spawn");
    expect(names(config)).toContain("sessions_spawn");
  });
});

describe("properties", () => {
  const pattern = fc.constantFrom(...TOOL_NAMES, "*", "sessions_*", "group:sessions", "group:fs", "*_list");
  const layer = fc.record({
    allow: fc.option(fc.array(pattern, { maxLength: 4 })),
    deny: fc.array(pattern, { maxLength: 3 }),
  });
  const base = testSettings({ tools: { profile: "full" } });

  it("TP-2: adding any layer never adds a tool, and alsoAllow adds only what no later layer takes", () => {
    fc.assert(
      fc.property(layer, layer, fc.array(pattern, { maxLength: 3 }), fc.nat(2), (first, second, also, depth) => {
        const with1: Settings = {
          ...base,
          tools: { ...base.tools, global: { profile: "messaging", alsoAllow: null, ...first } },
        };
        const before = namesOf(decide(with1, { depth }));
        const narrowed: Settings = {
          ...with1,
          tools: { ...with1.tools, bySender: new Map([["*", { profile: null, alsoAllow: null, ...second }]]) },
        };
        const after = namesOf(decide(narrowed, { depth }));
        expect(before).toEqual(expect.arrayContaining([...after]));
        const added: Settings = {
          ...narrowed,
          tools: { ...narrowed.tools, global: { ...with1.tools.global, alsoAllow: also } },
        };
        const wide: Settings = {
          ...narrowed,
          tools: { ...narrowed.tools, global: { ...with1.tools.global, profile: "full" } },
        };
        const withAlso = namesOf(decide(added, { depth }));
        expect(withAlso).toEqual(expect.arrayContaining([...after]));
        expect(namesOf(decide(wide, { depth }))).toEqual(expect.arrayContaining([...withAlso]));
      }),
    );
  });

  it("TP-2: one more layer of any kind never adds a tool, whatever the others are", () => {
    type Kind = "global" | "agent" | "provider" | "model" | "group" | "topic" | "sender" | "subagents";
    const kinds: readonly Kind[] = ["global", "agent", "provider", "model", "group", "topic", "sender", "subagents"];
    const place = { channel: "telegram", accountId: "default", id: "-100", formerId: null, guildId: null };
    const rights: Rights = { ...user, group: { ...place, topicId: "7" } };
    const decideWith = (layers: ReadonlyMap<Kind, z.output<typeof LAYER>>, who: Rights, depth: number) => {
      const own = (kind: Kind) => layers.get(kind) ?? {};
      const settingsOf = testSettings({
        agents: {
          defaults: { model: "demo/switchyard", subagents: { maxSpawnDepth: 2 } },
          entries: { main: { default: true, tools: own("agent") } },
        },
        tools: {
          ...{ profile: "full", ...own("global"), subagents: { tools: own("subagents") } },
          byProvider: { "demo/*": own("provider"), "demo/switchyard": own("model") },
          ...(layers.has("sender") ? { toolsBySender: { "discord:7": own("sender") } } : {}),
        },
        channels: {
          telegram: {
            botToken: "1:abcdefghijklmnopqrstuvwxyzabcdefghi",
            groups: { "-100": { tools: own("group"), topics: { "7": { tools: own("topic") } } } },
          },
        },
      });
      return namesOf(decide(settingsOf, { depth, rights: who }));
    };
    const some = fc.record({ allow: fc.array(pattern, { minLength: 1, maxLength: 4 }) }, { requiredKeys: [] });
    const deny = fc.record({ deny: fc.array(pattern, { minLength: 1, maxLength: 3 }) });
    const one = fc.tuple(some, deny, fc.boolean()).map(([a, d, both]) => LAYER.parse(both ? { ...a, ...d } : a));
    const layers = fc.array(fc.tuple(fc.constantFrom(...kinds), one), { maxLength: 5 });
    fc.assert(
      fc.property(layers, fc.constantFrom(...kinds), one, fc.nat(2), (given, kind, added, depth) => {
        const before = new Map(given.filter(([other]) => other !== kind));
        const names = decideWith(before, rights, depth);
        expect(names).toEqual(
          expect.arrayContaining([...decideWith(new Map([...before, [kind, added]]), rights, depth)]),
        );
        const owner: Rights = { ...rights, role: "owner" };
        expect(decideWith(before, owner, depth)).toEqual(expect.arrayContaining([...names]));
        expect(names).toEqual(expect.arrayContaining([...decideWith(before, rights, depth + 1)]));
      }),
      { numRuns: 60 },
    );
  });

  it("TP-3: what is offered and what was removed are all tools, each once", () => {
    fc.assert(
      fc.property(layer, fc.nat(2), (one, depth) => {
        const settings: Settings = {
          ...base,
          tools: { ...base.tools, global: { profile: "coding", alsoAllow: null, ...one } },
        };
        const { tools, removed } = decide(settings, { depth, rights: user });
        expect([...namesOf({ tools }), ...removed.map(({ tool }) => tool)].sort()).toEqual([...TOOL_NAMES].sort());
      }),
    );
  });

  it("TP-3: the turn's definitions are those of the decision", () => {
    const agent = base.agents.get("main");
    if (agent === undefined) throw new Error("no agent");
    const facts = { settings: base, agent, session: { depth: 0 }, rights: OPERATOR_RIGHTS, model: agent.model };
    expect(createEffectiveTools(() => [])(facts).tools.map((tool) => tool.name)).toEqual(TOOL_NAMES);
  });
});
