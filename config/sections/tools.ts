import { z } from "zod";
import { nearestNames } from "../../src/core/nearest.ts";
import type { ProviderSettings, ToolPolicyLayer, ToolSettings } from "../../src/core/settings.ts";
import { listedTwice } from "../../src/core/texts/config/people.ts";
import {
  ALLOW_AND_ALSO_ALLOW,
  keyWithoutModel,
  unknownProvider,
  unknownTool,
} from "../../src/core/texts/config/sections.ts";
import type { ConfigPath } from "../load/findings.ts";
import { checkAgent, type NormaliseContext, qualifiedSender } from "./context.ts";
import { meansServer } from "./mcp.ts";
import { filledText, flag, toolNames } from "./values.ts";

const profile = z.enum(["minimal", "messaging", "coding", "full"]);
const visibility = z.strictObject({ visibility: z.enum(["self", "tree", "agent", "all"]).optional() });

/** A layer that only narrows (TP-2). */
export const narrowingToolsSchema = z.strictObject({ allow: toolNames.optional(), deny: toolNames.optional() });
export type NarrowingToolsSection = z.infer<typeof narrowingToolsSchema>;

export const agentToolsSchema = z.strictObject({
  profile: profile.optional(),
  alsoAllow: toolNames.optional(),
  allow: toolNames.optional(),
  deny: toolNames.optional(),
  sessions: visibility.optional(),
});
export type AgentToolsSection = z.infer<typeof agentToolsSchema>;

export const toolsSchema = z.strictObject({
  ...agentToolsSchema.shape,
  byProvider: z.record(z.string(), narrowingToolsSchema).optional(),
  toolsBySender: z.record(z.string(), narrowingToolsSchema).optional(),
  agentToAgent: z.strictObject({ enabled: flag.optional(), allow: z.array(filledText).optional() }).optional(),
  subagents: z.strictObject({ tools: narrowingToolsSchema.optional() }).optional(),
});
export type ToolsSection = z.infer<typeof toolsSchema>;

const GROUPS: readonly string[] = ["group:sessions", "group:messaging", "group:fs", "group:runtime", "group:mcp"];

/** The layer of an agent or of everything (TP-2): `allow` and `alsoAllow` in one scope contradict each other. */
export function fullLayer(
  context: NormaliseContext,
  section: AgentToolsSection | undefined,
  path: ConfigPath,
): ToolPolicyLayer {
  if (section?.allow !== undefined && section.alsoAllow !== undefined && section.alsoAllow.length > 0) {
    context.findings.fault([...path, "alsoAllow"], ALLOW_AND_ALSO_ALLOW);
  }
  const layer = narrowingLayer(context, section, path);
  for (const [index, tool] of (section?.alsoAllow ?? []).entries())
    checkTool(context, tool, [...path, "alsoAllow", index]);
  return { ...layer, profile: section?.profile ?? null, alsoAllow: section?.alsoAllow ?? null };
}

export function narrowingLayer(
  context: NormaliseContext,
  section: NarrowingToolsSection | undefined,
  path: ConfigPath,
): ToolPolicyLayer {
  for (const key of ["allow", "deny"] as const) {
    for (const [index, tool] of (section?.[key] ?? []).entries()) checkTool(context, tool, [...path, key, index]);
  }
  return { profile: null, alsoAllow: null, allow: section?.allow ?? null, deny: section?.deny ?? [] };
}

/** An unknown tool is a warning, not a fault: its server or its switch may come later (TP-2). */
function checkTool(context: NormaliseContext, written: string, path: ConfigPath): void {
  const known = [...context.toolNames, ...GROUPS];
  if (known.includes(written)) return;
  if (context.mcpServers.some((server) => meansServer(written, server))) return;
  const wildcard = new RegExp(`^${written.split("*").map(escapeRegExp).join(".*")}$`);
  if (written.includes("*") && (written === "*" || known.some((tool) => wildcard.test(tool)))) return;
  context.findings.warn(path, unknownTool(written, nearestNames(written, known, 1)[0] ?? null));
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The section `tools` with its layers in the order TP-2 applies them. */
export function normaliseTools(
  context: NormaliseContext,
  section: ToolsSection | undefined,
  providers: ReadonlyMap<string, ProviderSettings>,
): ToolSettings {
  const global = fullLayer(context, section, ["tools"]);
  const byProvider = new Map<string, ToolPolicyLayer>();
  for (const [key, layer] of Object.entries(section?.byProvider ?? {})) {
    const path = ["tools", "byProvider", key];
    const [provider = "", model = ""] = key.split(/\/(.*)/s);
    if (model === "") context.findings.fault(path, keyWithoutModel(key));
    else if (!providers.has(provider)) {
      context.findings.fault(path, unknownProvider(provider, [...providers.keys()]));
    }
    byProvider.set(key, narrowingLayer(context, layer, path));
  }
  const bySender = new Map<string, ToolPolicyLayer>();
  for (const [key, layer] of Object.entries(section?.toolsBySender ?? {})) {
    const path = ["tools", "toolsBySender", key];
    const sender = qualifiedSender(context, key, path);
    if (sender === null) continue;
    if (bySender.has(sender)) context.findings.fault(path, listedTwice(sender));
    bySender.set(sender, narrowingLayer(context, layer, path));
  }
  const subagents = narrowingLayer(context, section?.subagents?.tools, ["tools", "subagents", "tools"]);
  const crossAgents = section?.agentToAgent?.allow ?? [];
  for (const [index, agentId] of crossAgents.entries()) {
    if (agentId !== "*") checkAgent(context, agentId, ["tools", "agentToAgent", "allow", index]);
  }
  return {
    global: { ...global, profile: global.profile ?? "coding" },
    byProvider,
    bySender,
    subagents: { allow: subagents.allow, deny: subagents.deny },
    visibility: section?.sessions?.visibility ?? "tree",
    agentToAgent: { enabled: section?.agentToAgent?.enabled ?? false, allow: crossAgents },
  };
}
