import { describe, expect, it } from "vitest";
import { channels } from "../../../adapters/index.ts";
import type { Tree } from "../../../config/load/faults.ts";
import schema from "../../../config/schema.json" with { type: "json" };
import type { Json, JsonObject } from "../../../src/core/json.ts";
import type { Rights } from "../../../src/core/session/rights.ts";
import { routingIndex } from "../../../src/routing/agent-rules.ts";
import { createCommandGate } from "../../../src/routing/command-gate.ts";
import { decide } from "../../../src/routing/decide.ts";
import { listsConversation, placePrompt } from "../../../src/routing/places.ts";
import { decideTools } from "../../../src/tools/policy.ts";
import { TOOLS } from "../../../src/tools/registry.ts";
import { sketchEvent } from "../../support/inbound.ts";
import { testSettings } from "../../support/test-settings.ts";

const SECRETS: Record<string, Tree> = {
  telegram: { botToken: "1:abcdefghijklmnopqrstuvwxyzabcdefghi" },
  discord: { token: "discord-token" },
  slack: { botToken: "xoxb-1", appToken: "xapp-1" },
};
const GUILD = "445566778899001122";
const TOPIC = "7";

/** An entry at one level of a platform's map, and the path that leads to it. */
interface Level {
  readonly channel: string;
  readonly path: readonly string[];
  /** The keys that the configuration's schema allows in it, without the map inside it. */
  readonly keys: readonly string[];
  readonly inTopic: boolean;
}

const platforms = channels.flatMap((descriptor) =>
  descriptor.places === null ? [] : [{ ...descriptor, places: descriptor.places }],
);
/** The first word of a platform's example of an id. */
const exampleOf = (channel: string, what: "place" | "sender") =>
  platforms.find((one) => one.channel === channel)?.idExample[what].split(" ")[0] ?? "";
const placeOf = (channel: string) => exampleOf(channel, "place");

function propertiesOf(node: Json | undefined): JsonObject {
  return ((node as JsonObject | undefined)?.properties ?? {}) as JsonObject;
}

function entryKeys(channel: string, path: readonly string[]): readonly string[] {
  let node = propertiesOf(propertiesOf(schema as JsonObject).channels)[channel];
  for (const key of path) node = (propertiesOf(node)[key] as JsonObject).additionalProperties;
  return Object.keys(propertiesOf(node));
}

const levels: readonly Level[] = platforms.flatMap(({ channel, places: { map, nested, inServers } }) => {
  const outer = inServers ? GUILD : placeOf(channel);
  const inner = inServers ? placeOf(channel) : TOPIC;
  const top = entryKeys(channel, [map]).filter((key) => key !== nested);
  const deep = nested === null ? [] : entryKeys(channel, [map, nested]);
  const at = (id: string): Level => ({ channel, path: [map, id], keys: top, inTopic: false });
  const within = (id: string): Level[] =>
    nested === null ? [] : [{ channel, path: [map, outer, nested, id], keys: deep, inTopic: !inServers }];
  return [at(outer), at("*"), ...within(inner), ...within("*")];
});

const rows = levels.flatMap((level) => level.keys.map((key) => ({ ...level, key, at: level.path.join(".") })));

/** What a message from Ann there leads to, when the entry says `entry` and nothing else is configured. */
function outcome({ channel, path, inTopic }: Level, entry: Tree, mentions = { bot: true }) {
  const written = path.toReversed().reduce<Tree>((inside, key) => ({ [key]: inside }), entry);
  const settings = testSettings({
    agents: { entries: { main: { default: true }, other: {} } },
    channels: { [channel]: { ...SECRETS[channel], ...written } },
  });
  const descriptor = platforms.find((one) => one.channel === channel);
  const account = settings.accounts.find((one) => one.channel === channel);
  if (descriptor === undefined || account === undefined) throw new Error(`no account on ${channel}`);
  const id = placeOf(channel);
  const event = sketchEvent({
    peer: { kind: descriptor.channel === "telegram" ? "group" : "channel", id, label: null },
    route: { channel, accountId: "default", to: id, threadId: null },
    thread: inTopic ? { kind: "topic", id: TOPIC, label: null } : { kind: "none" },
    guildId: descriptor.places.inServers ? GUILD : null,
    mentions,
  });
  const decision = decide(event, {
    index: routingIndex(settings),
    account,
    door: descriptor,
    commands: createCommandGate(new Map(), () => false),
    stored: {
      ...{
        paired: { paired: false, owner: false },
        pairedOwners: 0,
        formerPeerId: null,
        bound: null,
        activation: null,
      },
      ...{ participated: false, commandIsFor: null, albumAddressed: false, botTurnsSinceHuman: 0 },
      senderRate: { started: 0, commands: 0, refused: 0 },
    },
    platformNow: event.sentAt,
  });
  return { decision, settings, account, rights: decision.decision === "message" ? decision.start.rights : null };
}

function toolsOf(settings: ReturnType<typeof testSettings>, rights: Rights | null): readonly string[] {
  const agent = settings.agents.get("main");
  if (agent === undefined || rights === null) throw new Error("no turn");
  const { tools } = decideTools(TOOLS, { settings, agent, session: { depth: 0 }, rights, model: agent.model });
  return tools.map(({ name }) => name);
}

/** Every key an entry can have, and how its effect is seen. */
const EFFECTS: Record<string, (level: Level) => void> = {
  enabled: (level) => {
    expect(outcome(level, { enabled: true }).decision.decision).toBe("message");
    expect(outcome(level, { enabled: false }).decision.decision).toBe("refuse");
  },
  requireMention: (level) => {
    expect(outcome(level, {}, { bot: false }).decision.decision).toBe("keep");
    expect(outcome(level, { requireMention: false }, { bot: false }).decision.decision).toBe("message");
  },
  agentId: (level) => {
    expect(outcome(level, { agentId: "other" }).decision).toMatchObject({ start: { agentId: "other" } });
  },
  systemPrompt: (level) => {
    const { settings, rights } = outcome(level, { systemPrompt: "Be brief here." });
    expect(placePrompt(settings, rights?.group ?? null)).toBe("Be brief here.");
  },
  tools: (level) => {
    const without = outcome(level, {});
    expect(toolsOf(without.settings, without.rights)).toContain("sessions_spawn");
    const denied = outcome(level, { tools: { deny: ["sessions_spawn"] } });
    expect(toolsOf(denied.settings, denied.rights)).not.toContain("sessions_spawn");
    const allowed = outcome(level, { tools: { allow: ["sessions_list"] } });
    expect(toolsOf(allowed.settings, allowed.rights)).toEqual(["sessions_list"]);
  },
  allowFrom: (level) => others(level, "allowFrom"),
  users: (level) => others(level, "users"),
  roles: (level) => others(level, "roles"),
};

function others(level: Level, key: string): void {
  const sender = exampleOf(level.channel, "sender");
  expect(outcome(level, { [key]: [sender] }).decision.decision).toBe("refuse");
}

describe("the settings of a place", () => {
  it.each(rows)("FC-420: $key at channels.$channel.$at is applied", (row) => {
    const effect = EFFECTS[row.key];
    if (effect === undefined) throw new Error(`no effect of ${row.key} is known: say here how it is seen`);
    effect(row);
  });

  it.each(levels.filter(({ path }) => !path.includes("*")))(
    "FC-420, ST-40: an entry of $channel ($path) lists its conversation, and no topic or server",
    ({ channel, path, inTopic }) => {
      const { account } = outcome({ channel, path, inTopic, keys: [] }, {});
      const isInServer = path.length > 2 || !account.placesInServers;
      expect(listsConversation(account, placeOf(channel))).toBe(isInServer);
      for (const other of [GUILD, TOPIC]) expect(listsConversation(account, other)).toBe(false);
    },
  );

  it.each(levels)("FC-420, TP-2: a turn has no tools once $channel ($path) lists its place no more", (level) => {
    const { rights } = outcome(level, {});
    const elsewhere = level.path.toSpliced(1, 1, placeOf(level.channel).replace(/..$/, "00"));
    const { settings } = outcome({ ...level, path: elsewhere }, {});
    expect(toolsOf(settings, rights)).toEqual([]);
    expect(toolsOf(testSettings(), rights)).toEqual([]);
  });

  it("FC-420, SK-9: a moved group keeps the settings under its old id", () => {
    const telegram = levels.find(({ channel }) => channel === "telegram");
    if (telegram === undefined) throw new Error("no telegram");
    const { settings, rights } = outcome(telegram, { systemPrompt: "Be brief here.", tools: { deny: ["subagents"] } });
    const group = rights?.group ?? null;
    if (rights === null || group === null) throw new Error("no group");
    const moved: Rights = { ...rights, group: { ...group, id: "-1009", formerId: group.id } };
    expect(placePrompt(settings, moved.group)).toBe("Be brief here.");
    expect(toolsOf(settings, moved)).not.toContain("subagents");
  });
});
