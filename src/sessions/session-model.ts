import type { ModelRef } from "../core/model.ts";
import { resolveModel } from "../core/models.ts";
import type { Session } from "../core/session/session.ts";
import type { AgentSettings, Settings } from "../core/settings.ts";

export type ModelReason = "override" | "agent" | "default";

/** The model of a session's next turn, and why (ST-30): its override while that still names a model, else its agent's. */
export function sessionModelOf(
  settings: Settings,
  agent: Pick<AgentSettings, "model" | "ownModel">,
  session: Pick<Session, "modelOverride">,
): { readonly ref: ModelRef; readonly because: ModelReason } {
  const resolved = session.modelOverride === null ? null : resolveModel(settings, session.modelOverride);
  if (resolved?.known === true) return { ref: resolved.ref, because: "override" };
  return { ref: agent.model, because: agent.ownModel ? "agent" : "default" };
}

/** The same, where only the model counts. */
export function sessionModel(
  settings: Settings,
  agent: Pick<AgentSettings, "model" | "ownModel">,
  session: Pick<Session, "modelOverride">,
): ModelRef {
  return sessionModelOf(settings, agent, session).ref;
}
