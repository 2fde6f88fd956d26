import type { Route } from "../core/delivery/delivery.ts";
import { ToolError } from "../core/errors.ts";
import type { AgentId } from "../core/ids.ts";
import type { Run } from "../core/session/run.ts";
import type { SessionKey } from "../core/session/session-key.ts";
import type { Settings } from "../core/settings.ts";
import { controlTexts } from "../core/texts/agent/session-notices.ts";
import type { LiveTurns } from "../sessions/live-turns.ts";
import { bindingsOfTree } from "../store/reads/runs/bindings.ts";
import { treeRun, treeRuns } from "../store/reads/runs/runs.ts";
import { killRun } from "../store/steps/runs/kill-run.ts";
import { type SteerRunInput, steerRun } from "../store/steps/runs/steer-run.ts";
import type { Store } from "../store/store.ts";

/** SB-1: how long an ended run stays in the list. */
export const RECENT_MS = 30 * 60_000;

export interface ControlDeps {
  readonly store: Store;
  readonly settings: Settings;
  readonly liveTurns: LiveTurns;
}

/** A run of the list with its place in it, from 1, oldest first. */
export interface ListedRun {
  readonly index: number;
  readonly run: Run;
  /** Its own children that have not ended. */
  readonly pendingChildren: number;
  /** The thread it is bound to and goes on in; null: none. */
  readonly thread: Route | null;
}

/** The runs of a session's own tree: active ones and those that ended within half an hour (SB-1). */
export async function listRuns(
  store: Store,
  { root, now }: { readonly root: SessionKey; readonly now: number },
): Promise<readonly ListedRun[]> {
  const runs = await store.read(treeRuns, { root, endedSince: now - RECENT_MS });
  const open = runs.filter((run) => run.state !== "ended");
  const bound = runs.length === 0 ? [] : await store.read(bindingsOfTree, root);
  return runs.map((run, at) => ({
    index: at + 1,
    run,
    pendingChildren: open.filter((child) => child.wake.key === run.sessionKey).length,
    thread: bound.find(({ sessionKey, state }) => sessionKey === run.sessionKey && state === "active")?.route ?? null,
  }));
}

/**
 * The run a target means, in the caller's own tree only (SB-1): run id, child key, `last`, index, `taskName`, label or the
 * unique beginning of one. Of several runs with one name the only open one is meant. Throws ToolError; a run of another
 * tree looks like one that does not exist.
 */
export async function resolveRun(
  store: Store,
  { root, target, now }: { readonly root: SessionKey; readonly target: string; readonly now: number },
): Promise<Run> {
  const wanted = target.trim();
  const exact = await store.read(treeRun, { root, reference: wanted });
  if (exact !== null) return exact;
  return chooseRun(await listRuns(store, { root, now }), wanted);
}

/** The part of {@link resolveRun} that goes by the list. Pure. */
export function chooseRun(listed: readonly ListedRun[], wanted: string): Run {
  const last = listed.at(-1)?.run;
  if (wanted.toLowerCase() === "last" && last !== undefined) return last;
  const byIndex = /^\d+$/.test(wanted) ? listed.find(({ index }) => index === Number(wanted)) : undefined;
  if (byIndex !== undefined) return byIndex.run;
  const runs = listed.map(({ run }) => run);
  const folded = wanted.toLowerCase();
  const named = [
    runs.filter((run) => run.taskName === wanted),
    runs.filter((run) => run.label?.toLowerCase() === folded),
    runs.filter((run) => folded !== "" && run.label?.toLowerCase().startsWith(folded)),
  ].find((found) => found.length > 0);
  if (named === undefined) {
    throw new ToolError(controlTexts.none(wanted), { hint: choices(listed) });
  }
  const open = named.filter((run) => run.state !== "ended");
  const [first, second] = open.length > 0 ? open : named;
  if (first === undefined || second !== undefined) {
    const ids = (open.length > 0 ? open : named).map((run) => run.id);
    throw new ToolError(controlTexts.ambiguous(wanted, ids), { hint: controlTexts.useRunId });
  }
  return first;
}

function choices(listed: readonly ListedRun[]): string {
  if (listed.length === 0) return controlTexts.noRuns;
  return controlTexts.runs(listed.map(({ index, run }) => `${index} ${run.label ?? run.taskName ?? run.id}`));
}

/** SB-2: guidance for a running child, shown to it at its next boundary. Throws ToolError when the run has ended. */
export async function steer(
  run: Run,
  guidance: Omit<SteerRunInput, "runId">,
  { store, liveTurns }: Pick<ControlDeps, "store" | "liveTurns">,
): Promise<void> {
  const steered = await store.step(steerRun, { runId: run.id, ...guidance });
  if (steered === null) {
    throw new ToolError(controlTexts.ended(run.id), { hint: controlTexts.spawnAgain });
  }
  liveTurns.nudge(run.sessionKey);
}

/**
 * SB-2: ends runs and all they started, bottom up; each ended run's completion says `killed`. Returns the ids of every run
 * that ended now; empty: they had ended before.
 */
export async function kill(runs: readonly Run[], deps: ControlDeps): Promise<readonly string[]> {
  const ended: string[] = [];
  for (const run of runs) {
    const archiveAfterMs = archiveAfterOf(deps.settings, run.agentId);
    const killed = await deps.store.step(killRun, { runId: run.id, archiveAfterMs });
    // The rows are final; this reaches the model and tool calls that still run (FC-103).
    deps.liveTurns.abort(killed.sessions, "stopped");
    ended.push(...killed.runs);
  }
  return ended;
}

/** The open runs a session started itself, for `all`: killing them ends the rest of the tree. */
export async function ownOpenRuns(
  store: Store,
  { root, now }: { readonly root: SessionKey; readonly now: number },
): Promise<readonly Run[]> {
  const listed = await listRuns(store, { root, now });
  return listed.map(({ run }) => run).filter((run) => run.state !== "ended" && run.wake.key === root);
}

/** How long after its end a sub-agent of an agent is archived, in milliseconds; null: never (`archiveAfterMinutes: 0`, SB-4). */
export function archiveAfterOf(settings: Settings, agentId: AgentId): number | null {
  const ms = settings.agents.get(agentId)?.subagents.archiveAfterMs ?? 0;
  return ms === 0 ? null : ms;
}
