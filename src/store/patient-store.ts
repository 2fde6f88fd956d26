import { setTimeout as sleep } from "node:timers/promises";
import { isStoreTrouble } from "../core/errors.ts";
import type { Logger } from "../core/runtime.ts";
import type { Store } from "./store.ts";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 4_000;

export interface Patience {
  /** Gives up, with the last error. */
  readonly signal: AbortSignal;
  /** One line per try, with the reason. */
  readonly log: Logger;
}

/**
 * Calls again until the store is back (OP-10), for work that has something to lose: a model's answer that was paid for is
 * kept until it can be stored, and a full disk never uses up the three begins of a turn (TN-2). What was rejected has changed
 * nothing, so trying it again is safe. `signal`: gives up, with the last error.
 */
export async function patiently<T>(call: () => Promise<T>, { signal, log }: Patience): Promise<T> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      return await call();
    } catch (error) {
      if (!isStoreTrouble(error) || !error.retryable) throw error;
      log.warn({ code: error.code, retryInMs: wait }, error.message);
      await pause(wait, signal);
      if (signal.aborted) throw error;
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** A store whose steps and reads are called `patiently`. */
export function patientStore(store: Store, patience: Patience): Store {
  return {
    dialect: store.dialect,
    step: (step, input) => patiently(() => store.step(step, input), patience),
    read: (read, input) => patiently(() => store.read(read, input), patience),
    onDisk: () => store.onDisk(),
    onWork: (listener) => store.onWork(listener),
    close: () => store.close(),
  };
}
