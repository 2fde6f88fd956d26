import type { Clock, Logger } from "../core/runtime.ts";
import { pruneStore } from "../store/steps/prune-store.ts";
import type { Store } from "../store/store.ts";
import type { TaskHandler, WorkQueue } from "../work/work-queue.ts";

const DAY_MS = 24 * 3_600_000;
const EVERY_MS = 6 * 3_600_000;
/** IN-2: how long an event is known as seen. */
const EVENTS_MS = 8 * DAY_MS;
/** Settled inputs, deliveries and failures are for looking back. */
const SETTLED_MS = 30 * DAY_MS;
/** SL-2. */
const STATE_EVENTS = 50_000;
/** Rows per step, so that a large clean-up never holds the store for long. */
const BATCH = 2_000;

/** The task `maintenance`: bounds what grows, in small steps, again every six hours. */
export function createMaintenance(deps: {
  readonly store: Store;
  readonly work: Pick<WorkQueue, "enqueue">;
  readonly clock: Clock;
  readonly log: Logger;
}): TaskHandler {
  return async (key, _slot, signal) => {
    const now = deps.clock.now();
    let removed = 0;
    for (let last = BATCH; last >= BATCH && !signal.aborted; ) {
      last = await deps.store.step(pruneStore, {
        eventsBefore: now - EVENTS_MS,
        settledBefore: now - SETTLED_MS,
        stateEvents: STATE_EVENTS,
        limit: BATCH,
      });
      removed += last;
    }
    if (removed > 0) deps.log.info({ removed }, "pruned old rows");
    deps.work.enqueue("maintenance", key, now + EVERY_MS);
  };
}
