import { isStoreTrouble } from "../core/errors.ts";
import type { Logger } from "../core/runtime.ts";
import { backoffMs, pause } from "../core/waiting.ts";
import type { Store } from "./store.ts";

const WAITS = { firstMs: 500, longestMs: 4_000 } as const;

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
  for (let failures = 1; ; failures += 1) {
    try {
      return await call();
    } catch (error) {
      if (!isStoreTrouble(error) || !error.retryable) throw error;
      const wait = backoffMs(WAITS, failures);
      log.warn({ code: error.code, retryInMs: wait }, error.message);
      await pause(wait, signal);
      if (signal.aborted) throw error;
    }
  }
}

/** A store whose steps and reads are called `patiently`. */
export function patientStore(store: Store, patience: Patience): Store {
  return {
    step: (step, input) => patiently(() => store.step(step, input), patience),
    read: (read, input) => patiently(() => store.read(read, input), patience),
    onDisk: () => store.onDisk(),
    onWork: (listener) => store.onWork(listener),
    close: () => store.close(),
  };
}
