import type { AgentId } from "../core/ids.ts";
import type { Session } from "../core/session/session.ts";
import type { SessionScope } from "../core/session/session-key.ts";
import type { Settings, Visibility } from "../core/settings.ts";
import { visibilityTexts } from "../core/texts/agent/tool-calls.ts";

/** The session that looks. */
export type Viewer = Pick<Session, "key" | "agentId">;

/** VS-1: the viewer's agent's own setting replaces the global one (TP-2). */
export function visibilityMode(settings: Settings, { agentId }: Pick<Viewer, "agentId">): Visibility {
  return settings.agents.get(agentId)?.visibility ?? settings.tools.visibility;
}

/**
 * The one visibility decision (VS-1, VS-2): which sessions a session may see. Every read of other sessions takes this scope, and
 * `store/reads/sessions/session-scope.ts` is its SQL. Order of the checks: itself, what it spawned, its agent's, other agents'; what it
 * spawned is never lost to a check on agents (FC-034). Other agents only in mode `all`, and as `tools.agentToAgent` permits.
 */
export function scopeOf(settings: Settings, viewer: Viewer): SessionScope {
  const mode = visibilityMode(settings, viewer);
  const own = viewer.key;
  switch (mode) {
    case "self":
      return { own, lineage: false, agents: [] };
    case "tree":
      return { own, lineage: true, agents: [] };
    case "agent":
      return { own, lineage: true, agents: [viewer.agentId] };
    case "all":
      return { own, lineage: true, agents: reachableAgents(settings, viewer.agentId) };
  }
}

/** What a session may control: itself and what it spawned, in every mode (VS-1). */
export function lineageScope(viewer: Pick<Viewer, "key">): SessionScope {
  return { own: viewer.key, lineage: true, agents: [] };
}

/** Both agents must be listed: a list lets its members talk to each other. */
function reachableAgents(settings: Settings, agentId: AgentId): SessionScope["agents"] {
  const { enabled, allow } = settings.tools.agentToAgent;
  if (!enabled) return [agentId];
  if (allow.includes("*")) return "all";
  return allow.includes(agentId) ? [...new Set([agentId, ...allow])] : [agentId];
}

/** VS-3: what a list or search under a restricted mode says about itself; null: nothing is hidden by the mode. */
export function visibilityNote(
  settings: Settings,
  viewer: Viewer,
): { readonly mode: Visibility; readonly warning: string } | null {
  const mode = visibilityMode(settings, viewer);
  if (scopeOf(settings, viewer).agents === "all") return null;
  return { mode, warning: visibilityTexts.range[mode] };
}

/**
 * Every setting that keeps sessions hidden, all at once (FC-037), the same for a hidden target and for one that does not
 * exist: it depends on the viewer alone.
 */
export function widerHint(settings: Settings, viewer: Viewer): string {
  const missing: string[] = [];
  const mode = visibilityMode(settings, viewer);
  if (mode !== "all") missing.push(visibilityTexts.mode(mode));
  if (scopeOf({ ...settings, tools: { ...settings.tools, visibility: "all" } }, viewer).agents !== "all") {
    const { enabled, allow } = settings.tools.agentToAgent;
    if (!enabled) missing.push(visibilityTexts.enabled);
    if (!allow.includes("*")) missing.push(visibilityTexts.allow(enabled));
  }
  return visibilityTexts.needs(missing);
}
