import type { Route } from "../core/delivery/delivery.ts";
import { ToolError } from "../core/errors.ts";
import type { AgentId } from "../core/ids.ts";
import type { ModelRef } from "../core/model.ts";
import { modelFacts, modelRefText, resolveModel } from "../core/models.ts";
import { nearestNames } from "../core/nearest.ts";
import type { Logger } from "../core/runtime.ts";
import type { Run } from "../core/session/run.ts";
import type { Session, ThinkingLevel } from "../core/session/session.ts";
import { buildSessionKey } from "../core/session/session-key.ts";
import type { AgentSettings, Settings } from "../core/settings.ts";
import { spawnTexts } from "../core/texts/agent/session-notices.ts";
import { targetTexts } from "../core/texts/agent/tool-calls.ts";
import type { Threads } from "../delivery/way-out.ts";
import { sessionModel } from "../sessions/context-window.ts";
import type { SpawnInput } from "../store/steps/runs/spawn.ts";
import { planThread, type ThreadPlan, threadSettingsOf } from "./thread-plan.ts";

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
  /** null: the default, `channel`, or `thread` for a child with its own thread. */
  readonly completionTarget: "channel" | "parent" | null;
  /** In its own thread (TB-1). */
  readonly thread: boolean;
  readonly mode: Run["mode"] | null;
  /** `delete`: its session is removed when its result has been handed over. */
  readonly cleanup: Run["cleanup"];
  readonly context: "isolated" | "fork" | null;
}

export interface SpawnFacts {
  readonly settings: Settings;
  /** The session that spawns. */
  readonly session: Session;
  /** A fresh UUID for the child. */
  readonly childId: string;
  /** Where the requester's turn answers, and the message it answers to. */
  readonly route: Route | null;
  readonly anchorMessageId: string | null;
  readonly byPerson: boolean;
  readonly threads: Threads;
  readonly log: Logger;
}

/** Everything of a spawn that is decided before the store is asked; the rest of {@link SpawnInput} says who asked. */
export type SpawnPlan = Omit<SpawnInput, "callId" | "runId" | "rights" | "chain" | "turn">;

/**
 * Decides a spawn (SP-1, SP-5, SP-6, SP-7, TB-1). Throws ToolError, `forbidden` with the setting's name for a limit; nothing is spawned then.
 * The number of children is checked where the run is written.
 */
export async function planSpawn(request: SpawnRequest, facts: SpawnFacts): Promise<SpawnPlan> {
  const { settings, session, childId, route } = facts;
  const requester = settings.agents.get(session.agentId);
  if (requester === undefined) throw new ToolError(targetTexts.unconfiguredAgent(session.agentId));
  const { maxSpawnDepth, maxChildrenPerAgent } = requester.subagents;
  if (session.depth >= maxSpawnDepth) {
    throw forbidden(spawnTexts.tooDeep(session.depth, maxSpawnDepth));
  }
  const target = targetAgent(request.agentId, requester, settings);
  const model = chosenModel(request.model, { settings, session, requester, target });
  refuseModeAndContext(request, facts, target);
  const thread = request.thread ? await threadOf(request, facts, target) : null;
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
    cleanup: request.cleanup,
    expectsCompletion: request.expectsCompletion,
    completionTarget: request.completionTarget ?? (request.thread ? "thread" : "channel"),
    mode: request.mode ?? (request.thread ? "session" : "run"),
    thread,
    fork: isFork(request, facts, target)
      ? { maxTokens: Math.floor(modelFacts(settings.models, model).contextTokens / 2) }
      : null,
    route,
    runTimeoutMs: timeoutMs ?? target.subagents.runTimeoutMs,
    maxChildren: maxChildrenPerAgent,
  };
}

/** What cannot be had together (SP-1, SP-5, FC-101). */
function refuseModeAndContext(
  { mode, thread, context }: SpawnRequest,
  { session }: SpawnFacts,
  target: AgentSettings,
): void {
  if (mode === "session" && !thread) {
    throw new ToolError(spawnTexts.sessionNeedsThread, {
      hint: spawnTexts.sessionNeedsThreadHint,
    });
  }
  if (context === "fork" && target.id !== session.agentId) {
    throw new ToolError(spawnTexts.forkOtherAgent(target.id), {
      hint: spawnTexts.forkOtherAgentHint,
    });
  }
}

/** SP-5: isolated, unless it was asked for or is the way of threads here; another agent never gets this one's history. */
function isFork(request: SpawnRequest, { settings, session, route }: SpawnFacts, target: AgentSettings): boolean {
  if (request.context !== null) return request.context === "fork";
  const fallback = request.thread ? threadSettingsOf(settings, route).defaultSpawnContext : "isolated";
  return fallback === "fork" && target.id === session.agentId;
}

async function threadOf(request: SpawnRequest, facts: SpawnFacts, target: AgentSettings): Promise<ThreadPlan> {
  const { settings, threads, log, route, anchorMessageId, byPerson } = facts;
  if (!threadSettingsOf(settings, route).spawnSessions) {
    throw forbidden(spawnTexts.threadsOff);
  }
  const name = request.label ?? request.taskName ?? request.task;
  return planThread({ route, name, agentId: target.id, anchorMessageId, byPerson }, { settings, threads, log });
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
    if (requester.subagents.requireAgentId) throw forbidden(spawnTexts.agentIdRequired);
    return requester;
  }
  const allowed = spawnableAgents(settings, requester);
  const found = allowed.find((agent) => agent.id === wanted);
  if (found !== undefined) return found;
  // A hidden agent and a missing one are refused alike: the difference would tell which agents exist.
  const ids = allowed.map((agent) => agent.id);
  const close = nearestNames(wanted, ids);
  throw forbidden(spawnTexts.notAllowed(wanted, requester.id), close.length > 0 ? close : ids);
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
  const hint = resolved.close.length > 0 ? spawnTexts.closeModels(resolved.close) : spawnTexts.modelForm;
  throw new ToolError(spawnTexts.unknownModel(written), { hint });
}

/** The refusal when every slot is taken: the setting, and which runs hold them (FC-115). */
export function fullError(maxChildren: number, holding: readonly Run[]): ToolError {
  const runs = holding.map((run) => spawnTexts.holding(run.label ?? run.taskName ?? "run", run.id, run.state));
  return forbidden(spawnTexts.full(maxChildren, runs));
}

function forbidden(message: string, mayspawn: readonly AgentId[] = []): ToolError {
  return mayspawn.length === 0
    ? new ToolError(message, { status: "forbidden" })
    : new ToolError(message, { status: "forbidden", hint: spawnTexts.maySpawn(mayspawn) });
}
