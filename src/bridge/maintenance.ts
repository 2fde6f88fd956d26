import type { Clock, Logger } from "../core/runtime.ts";
import type { Settings } from "../core/settings.ts";
import { pruneSessions } from "../store/steps/upkeep/prune-sessions.ts";
import { pruneStore } from "../store/steps/upkeep/prune-store.ts";
import type { Store } from "../store/store.ts";
import type { TaskHandler, WorkQueue } from "../work/work-queue.ts";
import { removeUnusedFiles } from "./unused-files.ts";

const EVERY_MS = 6 * 3_600_000;
/** SL-2. */
const STATE_EVENTS = 50_000;
/** Rows per step, so that a large clean-up never holds the store for long. */
const BATCH = 2_000;
/** Sessions per step: each takes its whole transcript along. */
const SESSIONS = 20;

/** The task `maintenance`: bounds what grows (OP-10), rows and files, in small steps, again every six hours. */
export function createMaintenance(deps: {
  readonly store: Store;
  readonly work: Pick<WorkQueue, "enqueue">;
  readonly settings: () => Settings;
  readonly clock: Clock;
  readonly log: Logger;
}): TaskHandler {
  return async (key, _slot, signal) => {
    const now = deps.clock.now();
    const { eventsMs, recordsMs, sessionsMs } = deps.settings().retention;
    let removed = 0;
    for (let last = BATCH; last >= BATCH && !signal.aborted; ) {
      last = await deps.store.step(pruneStore, {
        eventsBefore: now - eventsMs,
        settledBefore: now - recordsMs,
        stateEvents: STATE_EVENTS,
        limit: BATCH,
      });
      removed += last;
    }
    const before = now - sessionsMs;
    for (let last = SESSIONS; sessionsMs > 0 && last >= SESSIONS && !signal.aborted; ) {
      last = await deps.store.step(pruneSessions, { before, limit: SESSIONS });
      removed += last;
    }
    const { dataDir } = deps.settings().store;
    const files = await removeUnusedFiles({ store: deps.store, dataDir, now: Date.now(), signal });
    if (files > 0) deps.log.info({ files }, "removed attachments that nothing refers to");
    if (removed > 0) deps.log.info({ removed }, "pruned old rows");
    deps.work.enqueue("maintenance", key, now + EVERY_MS);
  };
}
