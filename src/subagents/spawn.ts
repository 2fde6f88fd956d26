import { ToolError } from "../core/errors.ts";
import type { AgentId } from "../core/ids.ts";
import { type ModelRef, modelRefText } from "../core/model.ts";
import { resolveModel } from "../core/model-names.ts";
import { nearestNames } from "../core/nearest.ts";
import type { Run } from "../core/run.ts";
import type { Session, ThinkingLevel } from "../core/session.ts";
import { buildSessionKey } from "../core/session-key.ts";
import type { AgentSettings, Settings } from "../core/settings.ts";
import { sessionModel } from "../sessions/session-model.ts";
import type { SpawnInput } from "../store/steps/spawn.ts";

/** What is asked for (SP-1), by a tool call or a person's command. null: left to the configuration. */
export interface SpawnRequest {
  readonly task: string;
  readonly label: string | null;
  readonly taskName: string | null;
  readonly agentId: AgentId | null;
  readonly model: string | null;
  readonly thinking: ThinkingLevel | null;
  /** 0: none. */
  readonly runTimeoutSeconds: number | null;
  readonly expectsCompletion: boolean;
  readonly completionTarget: Run["completionTarget"];
}

export interface SpawnFacts {
  readonly settings: Settings;
  /** The session that spawns. */
  readonly session: Session;
  /** A fresh UUID for the child. */
  readonly childId: string;
}

/** Everything of a spawn that is decided before the store is asked; the rest of {@link SpawnInput} says who asked. */
export type SpawnPlan = Omit<SpawnInput, "callId" | "runId" | "route" | "rights" | "turn">;

/**
 * Decides a spawn (SP-6, SP-7). Throws ToolError, `forbidden` with the setting's name for a limit; nothing is spawned then.
 * The number of children is checked where the run is written.
 */
export function planSpawn(request: SpawnRequest, { settings, session, childId }: SpawnFacts): SpawnPlan {
  const requester = settings.agents.get(session.agentId);
  if (requester === undefined) throw new ToolError(`agent "${session.agentId}" is not configured any more`);
  const { maxSpawnDepth, maxChildrenPerAgent } = requester.subagents;
  if (session.depth >= maxSpawnDepth) {
    throw forbidden(`this session stands at depth ${session.depth}, and subagents.maxSpawnDepth is ${maxSpawnDepth}`);
  }
  const target = targetAgent(request.agentId, requester, settings);
  const model = chosenModel(request.model, { settings, session, requester, target });
  const timeoutMs = request.runTimeoutSeconds === null ? null : Math.round(request.runTimeoutSeconds * 1_000);
  return {
    parent: session.key,
    childKey: buildSessionKey({ kind: "subagent", agentId: target.id, id: childId }),
    agentId: target.id,
    task: request.task,
    label: request.label,
    taskName: request.taskName,
    model: modelRefText(model),
    modelOverride: modelRefText(model) === modelRefText(target.model) ? null : modelRefText(model),
    thinking: request.thinking,
    cleanup: "keep",
    expectsCompletion: request.expectsCompletion,
    completionTarget: request.completionTarget,
    runTimeoutMs: timeoutMs ?? target.subagents.runTimeoutMs,
    maxChildren: maxChildrenPerAgent,
  };
}

/** The agents a session may spawn: its own first, then those `allowAgents` names (SP-6, SP-8). */
export function spawnableAgents(settings: Settings, requester: AgentSettings): readonly AgentSettings[] {
  const { allowAgents } = requester.subagents;
  const others = [...settings.agents.values()].filter(
    (agent) => agent.id !== requester.id && (allowAgents.includes("*") || allowAgents.includes(agent.id)),
  );
  return [requester, ...others];
}

function targetAgent(wanted: AgentId | null, requester: AgentSettings, settings: Settings): AgentSettings {
  if (wanted === null) {
    if (requester.subagents.requireAgentId) throw forbidden("subagents.requireAgentId is set: name an agentId");
    return requester;
  }
  const allowed = spawnableAgents(settings, requester);
  const found = allowed.find((agent) => agent.id === wanted);
  if (found !== undefined) return found;
  const ids = allowed.map((agent) => agent.id);
  if (settings.agents.has(wanted)) {
    throw forbidden(`agent "${wanted}" is not in subagents.allowAgents of agent "${requester.id}"`, ids);
  }
  const close = nearestNames(wanted, ids);
  throw new ToolError(`there is no agent "${wanted}"`, {
    hint: `you may spawn: ${(close.length > 0 ? close : ids).join(", ")}`,
  });
}

function chosenModel(
  written: string | null,
  facts: {
    readonly settings: Settings;
    readonly session: Session;
    readonly requester: AgentSettings;
    readonly target: AgentSettings;
  },
): ModelRef {
  const { settings, session, requester, target } = facts;
  if (written !== null) return knownModel(settings, written);
  if (target.subagents.model !== null) return target.subagents.model;
  return target.id === requester.id ? sessionModel(settings, requester, session) : target.model;
}

/** The model a name means; an unknown one is an error that names close ones (SP-7, ST-30). */
export function knownModel(settings: Settings, written: string): ModelRef {
  const resolved = resolveModel(settings, written);
  if (resolved.known) return resolved.ref;
  const hint = resolved.close.length > 0 ? `did you mean ${resolved.close.join(" or ")}?` : "name it as provider/model";
  throw new ToolError(`unknown model "${written}"`, { hint });
}

/** The refusal when every slot is taken: the setting, and which runs hold them (FC-115). */
export function fullError(maxChildren: number, holding: readonly Run[]): ToolError {
  const runs = holding.map((run) => `${run.label ?? run.taskName ?? "run"} (${run.id}, ${run.state})`);
  return forbidden(
    `subagents.maxChildrenPerAgent is ${maxChildren}, and these runs hold the slots: ${runs.join("; ")}`,
  );
}

function forbidden(message: string, mayspawn: readonly AgentId[] = []): ToolError {
  return mayspawn.length === 0
    ? new ToolError(message, { status: "forbidden" })
    : new ToolError(message, { status: "forbidden", hint: `you may spawn: ${mayspawn.join(", ")}` });
}
