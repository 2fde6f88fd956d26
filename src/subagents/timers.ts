import { asSessionKey } from "../core/session/session-key.ts";
import type { Settings } from "../core/settings.ts";
import type { LiveTurns } from "../sessions/live-turns.ts";
import { findRun } from "../store/reads/runs/runs.ts";
import { expireBinding } from "../store/steps/runs/expire-binding.ts";
import { timeoutRun } from "../store/steps/runs/timeout-run.ts";
import { archiveSession } from "../store/steps/sessions/archive-session.ts";
import type { Store } from "../store/store.ts";
import type { TaskHandler } from "../work/work-queue.ts";
import { archiveAfterOf } from "./control.ts";

export interface TimerDeps {
  readonly store: Store;
  readonly settings: () => Settings;
  readonly liveTurns: LiveTurns;
}

/** Task `run-timeout`, keyed by run id: a run that passed its limit ends with its descendants, and their calls stop (SB-4). */
export function createRunTimeout({ store, settings, liveTurns }: TimerDeps): TaskHandler {
  return async (runId) => {
    const run = await store.read(findRun, runId);
    const archiveAfterMs = run === null ? null : archiveAfterOf(settings(), run.agentId);
    const { sessions } = await store.step(timeoutRun, { runId, archiveAfterMs });
    // The rows are final already; the turn's own process only stops paying for calls whose answers are not used.
    liveTurns.abort(sessions, "timeout");
  };
}

/** Task `archive`, keyed by session key: a finished sub-agent leaves the active lists (SB-4). */
export function createArchive({ store }: Pick<TimerDeps, "store">): TaskHandler {
  return async (key) => {
    const sessionKey = asSessionKey(key);
    if (sessionKey !== null) await store.step(archiveSession, sessionKey);
  };
}

/** Task `binding-expiry`, keyed by the binding: a bound conversation that is unused, or too old, is unlinked (TB-4). */
export function createBindingExpiry({ store }: Pick<TimerDeps, "store">): TaskHandler {
  return async (id) => void (await store.step(expireBinding, id));
}
