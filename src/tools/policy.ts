import { matchesName } from "../core/ids.ts";
import type { ModelRef } from "../core/model.ts";
import { modelRefText } from "../core/models.ts";
import type { Rights } from "../core/session/rights.ts";
import type { Session } from "../core/session/session.ts";
import type { AgentSettings, Settings } from "../core/settings.ts";
import { policyLayer } from "../core/texts/agent/tool-calls.ts";
import { placeToolLayers } from "../routing/places.ts";

import { TOOLS } from "./registry.ts";
import type { ToolDefinition } from "./tool.ts";

/** What of a definition decides whether a turn has the tool. */
export type GatedTool = Pick<ToolDefinition, "name" | "group" | "profiles" | "subagents" | "ownerOnly">;

/** The facts that decide which tools a turn has (TP-2). */
export interface PolicyFacts {
  readonly settings: Settings;
  readonly agent: AgentSettings;
  readonly session: Pick<Session, "depth">;
  readonly rights: Rights;
  readonly model: ModelRef;
}

export interface PolicyDecision<T extends GatedTool> {
  readonly tools: readonly T[];
  /** `layer`: the configuration key, or the rule, that removed the tool (`/tools verbose`, TP-3). */
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

/**
 * TP-2: profile, `alsoAllow` adds, then every layer narrows in order: global, agent, model provider, place, sender, the
 * rules for owners and sub-agents. Pure; the order of `tools` is kept.
 */
export function decideTools<T extends GatedTool>(tools: readonly T[], facts: PolicyFacts): PolicyDecision<T> {
  const { settings, agent, session, rights } = facts;
  const profile = agent.tools.profile ?? settings.tools.global.profile ?? "coding";
  const added = agent.tools.alsoAllow ?? settings.tools.global.alsoAllow ?? [];
  const removed: { tool: string; layer: string }[] = [];
  let emptyBy: string | null = null;
  const narrow = (kept: readonly T[], layer: string, keep: (tool: T) => boolean): readonly T[] =>
    kept.filter((tool) => {
      const stays = keep(tool);
      if (!stays) removed.push({ tool: tool.name, layer });
      return stays;
    });
  let kept = narrow(
    tools,
    policyLayer.profile(profile),
    (tool) => profile === "full" || tool.profiles.includes(profile) || names(added, tool),
  );
  for (const { path, allow, deny } of layersOf(facts)) {
    if (allow !== null) {
      const before = kept.length;
      kept = narrow(kept, `${path}.allow`, (tool) => names(allow, tool));
      if (before > 0 && kept.length === 0 && !namesServers(allow)) emptyBy ??= `${path}.allow`;
    }
    kept = narrow(kept, `${path}.deny`, (tool) => !names(deny, tool));
  }
  if (rights.role !== "owner") kept = narrow(kept, policyLayer.owners, (tool) => tool.ownerOnly !== true);
  if (session.depth === 0) return { tools: kept, removed, emptyBy };
  // TP-4, from the current configuration at each turn.
  const { maxSpawnDepth } = agent.subagents;
  kept = narrow(kept, policyLayer.subagents, (tool) => tool.subagents !== "none");
  if (session.depth >= maxSpawnDepth) {
    kept = narrow(kept, policyLayer.leaves(maxSpawnDepth), (tool) => tool.subagents !== "spawners");
  }
  return { tools: kept, removed, emptyBy };
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
  const places = placeToolLayers(settings, group) ?? [{ allow: null, deny: ["*"] }];
  for (const layer of places) {
    layers.push({ path: policyLayer.place(group?.channel ?? "", group?.id ?? ""), ...layer });
  }
  // `*` matches every sender without an entry, and for turns with no person behind them: a gate never fails open.
  const entry = rights.sender === null ? "*" : `${rights.sender.channel}:${rights.sender.id}`;
  const key = bySender.has(entry) ? entry : "*";
  const bySenderLayer = bySender.get(key);
  if (bySenderLayer !== undefined) layers.push({ path: `tools.toolsBySender.${key}`, ...bySenderLayer });
  if (session.depth > 0) layers.push({ path: "tools.subagents.tools", ...subagents });
  return layers;
}

/** True when one of the written names means the tool: its name, its group, or a wildcard over either. */
function names(written: readonly string[], tool: GatedTool): boolean {
  return written.some(
    (pattern) => pattern === "*" || matchesName(pattern, tool.name) || matchesName(pattern, `group:${tool.group}`),
  );
}

/** Tools of MCP servers come and go: an allowlist that means some is not empty while their server is away (ST-42). */
function namesServers(written: readonly string[]): boolean {
  return written.some((pattern) => isMcpToolName(pattern) || matchesName(pattern, "group:mcp"));
}

/** The tools a turn has (TP-2): offered to the model, and no other is run (TP-3). */
export type EffectiveTools = PolicyDecision<ToolDefinition>;

/** Cheap enough to be asked for every waiting input. */
export type EffectiveToolsOf = (facts: PolicyFacts) => EffectiveTools;

/** `serverTools`: what the MCP servers offer at this moment (ST-42); the policy decides about them as about all others. */
export function createEffectiveTools(
  serverTools: () => readonly ToolDefinition[],
  builtIn: readonly ToolDefinition[] = TOOLS,
): EffectiveToolsOf {
  return (facts) => decideTools([...builtIn, ...serverTools()], facts);
}

/** Separates a server's name from a tool's; no server name and no tool of Switchyard contains it (ST-42). */
export const SERVER_SEPARATOR = "__";

/** True for the name of a server's tool, also of a server that is away: such a call may have acted on the outside (TN-2). */
export function isMcpToolName(name: string): boolean {
  return name.includes(SERVER_SEPARATOR);
}
