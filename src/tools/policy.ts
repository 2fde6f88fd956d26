import { matchesName } from "../core/ids.ts";
import type { ModelRef } from "../core/model.ts";
import { modelRefText } from "../core/models.ts";
import type { Rights } from "../core/session/rights.ts";
import type { Session } from "../core/session/session.ts";
import type { AgentSettings, Settings, ToolProfile } from "../core/settings.ts";
import { placeToolLayers } from "../routing/place-prompt.ts";
import { isMcpToolName } from "./mcp/tool-name.ts";
import { tools } from "./registry.ts";
import type { ToolDefinition, ToolGroup } from "./tool.ts";

/** What the policy knows of a tool without its definition, so that tools may ask the policy about themselves (TP-3). */
export interface ToolFacts {
  readonly name: string;
  readonly group: ToolGroup;
  /** Offered only when an owner is behind the turn (ST-40). */
  readonly ownerOnly: boolean;
}

/** Every tool the product has, in the order people see them; a test holds it equal to the registry. */
export const TOOLS: readonly ToolFacts[] = [
  { name: "session_status", group: "sessions", ownerOnly: false },
  { name: "sessions_list", group: "sessions", ownerOnly: false },
  { name: "sessions_history", group: "sessions", ownerOnly: false },
  { name: "sessions_search", group: "sessions", ownerOnly: false },
  { name: "sessions_send", group: "sessions", ownerOnly: false },
  { name: "sessions_spawn", group: "sessions", ownerOnly: false },
  { name: "sessions_yield", group: "sessions", ownerOnly: false },
  { name: "subagents", group: "sessions", ownerOnly: false },
  { name: "agents_list", group: "sessions", ownerOnly: false },
  { name: "message", group: "messaging", ownerOnly: true },
  { name: "get_goal", group: "sessions", ownerOnly: false },
  { name: "create_goal", group: "sessions", ownerOnly: false },
  { name: "update_goal", group: "sessions", ownerOnly: false },
];

/** For the warning about unknown names in a policy (TP-2). */
export const TOOL_NAMES: readonly string[] = TOOLS.map((tool) => tool.name);

const MESSAGING: readonly string[] = [
  "sessions_list",
  "sessions_history",
  "sessions_search",
  "sessions_send",
  "session_status",
];

/** TP-1. Names of tools that do not exist yet stand here already: a profile says what it means. */
export const PROFILES: Readonly<Record<ToolProfile, readonly string[]>> = {
  minimal: ["session_status"],
  messaging: [...MESSAGING, "message"],
  coding: [
    ...MESSAGING,
    "sessions_spawn",
    "sessions_yield",
    "subagents",
    "agents_list",
    "get_goal",
    "create_goal",
    "update_goal",
    "group:fs",
    "group:runtime",
  ],
  full: ["*"],
};

/** The facts that decide which tools a turn has (TP-2). */
export interface PolicyFacts {
  readonly settings: Settings;
  readonly agent: AgentSettings;
  readonly session: Pick<Session, "depth">;
  readonly rights: Rights;
  readonly model: ModelRef;
}

export interface PolicyDecision {
  readonly names: readonly string[];
  /** `layer`: the configuration key, or the rule, that took the tool away (`/tools verbose`, TP-3). */
  readonly removed: readonly { readonly tool: string; readonly layer: string }[];
  /** The allowlist that leaves nothing, which fails the turn (TP-2); null: there is none. */
  readonly emptyBy: string | null;
}

/** One thing that may take tools away; it never gives any. */
interface Layer {
  readonly path: string;
  readonly allow: readonly string[] | null;
  readonly deny: readonly string[];
}

/** Children lose these whatever their depth (TP-4). */
const NOT_FOR_CHILDREN: readonly string[] = [
  "message",
  "sessions_send",
  "agents_list",
  "cron",
  // A child has a task, and its session ends with it.
  "get_goal",
  "create_goal",
  "update_goal",
];
/** A child that may not spawn has nothing to look after. */
const NOT_FOR_LEAVES: readonly string[] = [
  "sessions_spawn",
  "sessions_yield",
  "subagents",
  "sessions_list",
  "sessions_history",
  "sessions_search",
];

/**
 * TP-2: profile, `alsoAllow` adds, then every layer narrows in order: global, agent, model provider, place, sender, the
 * rules for owners and sub-agents. Pure; the order of `tools` is kept.
 */
export function decideTools(tools: readonly ToolFacts[], facts: PolicyFacts): PolicyDecision {
  const { settings, agent } = facts;
  const profile = agent.tools.profile ?? settings.tools.global.profile ?? "coding";
  const added = agent.tools.alsoAllow ?? settings.tools.global.alsoAllow ?? [];
  const removed: { tool: string; layer: string }[] = [];
  let emptyBy: string | null = null;
  const narrow = (kept: readonly ToolFacts[], layer: string, keep: (tool: ToolFacts) => boolean): ToolFacts[] =>
    kept.filter((tool) => {
      const stays = keep(tool);
      if (!stays) removed.push({ tool: tool.name, layer });
      return stays;
    });
  let kept = narrow(tools, `profile ${profile}`, (tool) => names(PROFILES[profile], tool) || names(added, tool));
  for (const { path, allow, deny } of layersOf(facts)) {
    if (allow !== null) {
      const before = kept.length;
      kept = narrow(kept, `${path}.allow`, (tool) => names(allow, tool));
      if (before > 0 && kept.length === 0 && !namesServers(allow)) emptyBy ??= `${path}.allow`;
    }
    kept = narrow(kept, `${path}.deny`, (tool) => !names(deny, tool));
  }
  if (facts.rights.role !== "owner") kept = narrow(kept, "owners only", (tool) => !tool.ownerOnly);
  for (const { path, deny } of depthRules(facts)) kept = narrow(kept, path, (tool) => !names(deny, tool));
  return { names: kept.map((tool) => tool.name), removed, emptyBy };
}

function layersOf({ settings, agent, session, rights, model }: PolicyFacts): readonly Layer[] {
  const { global, byProvider, bySender, subagents } = settings.tools;
  const layers: Layer[] = [
    { path: "tools", ...global },
    { path: `agents.entries.${agent.id}.tools`, ...agent.tools },
  ];
  for (const key of [`${model.provider}/*`, modelRefText(model)]) {
    const layer = byProvider.get(key);
    if (layer !== undefined) layers.push({ path: `tools.byProvider.${key}`, ...layer });
  }
  const { group } = rights;
  for (const layer of placeToolLayers(settings, group)) {
    layers.push({ path: `tools of ${group?.channel} ${group?.id}`, ...layer });
  }
  // `*` stands for every sender without an entry, and for turns with no person behind them: a gate never fails open.
  const entry = rights.sender === null ? "*" : `${rights.sender.channel}:${rights.sender.id}`;
  const key = bySender.has(entry) ? entry : "*";
  const bySenderLayer = bySender.get(key);
  if (bySenderLayer !== undefined) layers.push({ path: `tools.toolsBySender.${key}`, ...bySenderLayer });
  if (session.depth > 0) layers.push({ path: "tools.subagents.tools", ...subagents });
  return layers;
}

/** TP-4, from the current configuration at each turn. */
function depthRules({ agent, session }: PolicyFacts): readonly { readonly path: string; readonly deny: string[] }[] {
  if (session.depth === 0) return [];
  const rules = [{ path: "sub-agents", deny: [...NOT_FOR_CHILDREN] }];
  const { maxSpawnDepth } = agent.subagents;
  if (session.depth >= maxSpawnDepth) {
    rules.push({ path: `sub-agents at maxSpawnDepth ${maxSpawnDepth}`, deny: [...NOT_FOR_LEAVES] });
  }
  return rules;
}

/** True when one of the written names means the tool: its name, its group, or a wildcard over either. */
function names(written: readonly string[], tool: ToolFacts): boolean {
  return written.some(
    (pattern) => pattern === "*" || matchesName(pattern, tool.name) || matchesName(pattern, `group:${tool.group}`),
  );
}

/** Tools of MCP servers come and go: an allowlist that means some is not empty while their server is away (ST-42). */
function namesServers(written: readonly string[]): boolean {
  return written.some((pattern) => isMcpToolName(pattern) || matchesName(pattern, "group:mcp"));
}

export interface EffectiveTools extends Pick<PolicyDecision, "removed" | "emptyBy"> {
  readonly tools: readonly ToolDefinition[];
}

/**
 * The tools a turn has (TP-2): offered to the model, and nothing else is carried out (TP-3). Cheap enough to be asked for
 * every waiting input.
 */
export type EffectiveToolsOf = (facts: PolicyFacts) => EffectiveTools;

/** `serverTools`: what the MCP servers offer at this moment (ST-42); the policy decides about them as about all others. */
export function createEffectiveTools(serverTools: () => readonly ToolDefinition[]): EffectiveToolsOf {
  return (facts) => {
    const extra = serverTools();
    const known = extra.length === 0 ? TOOLS : [...TOOLS, ...extra.map(factsOf)];
    const { names, removed, emptyBy } = decideTools(known, facts);
    const kept = new Set(names);
    return { tools: [...tools, ...extra].filter((tool) => kept.has(tool.name)), removed, emptyBy };
  };
}

function factsOf({ name, group }: ToolDefinition): ToolFacts {
  return { name, group, ownerOnly: false };
}
