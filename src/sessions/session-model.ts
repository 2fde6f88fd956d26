import type { ModelRef } from "../core/model.ts";
import { resolveModel } from "../core/model-names.ts";
import type { Session } from "../core/session.ts";
import type { AgentSettings, Settings } from "../core/settings.ts";

/** The session's override when it still names a model, else the agent's (ST-30). */
export function sessionModel(
  settings: Settings,
  agent: AgentSettings,
  session: Pick<Session, "modelOverride">,
): ModelRef {
  return overrideOf(settings, session) ?? agent.model;
}

/** Why a session has its model: its own setting, its agent's, or what agents have by default (ST-30). */
export function modelReason(
  settings: Settings,
  agent: AgentSettings,
  session: Pick<Session, "modelOverride">,
): "override" | "agent" | "default" {
  if (overrideOf(settings, session) !== null) return "override";
  return agent.ownModel ? "agent" : "default";
}

function overrideOf(settings: Settings, { modelOverride }: Pick<Session, "modelOverride">): ModelRef | null {
  if (modelOverride === null) return null;
  const resolved = resolveModel(settings, modelOverride);
  return resolved.known ? resolved.ref : null;
}
