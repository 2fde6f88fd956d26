import type { RunId } from "../core/ids.ts";

/** A look this often is the backstop when no notification comes (ST-21): the target may run in another process. */
export const LOOK_AGAIN_MS = 1_000;

/** Hurries those who wait for the reply of a `sessions_send`; the exchange row decides. */
export interface ReplySignal {
  /** Resolves when the run was told about, after `LOOK_AGAIN_MS`, or when the signal aborts; never rejects. */
  wait(runId: RunId, options: { readonly maxMs: number; readonly signal: AbortSignal }): Promise<void>;
  tell(runId: RunId): void;
}

export function createReplySignal(): ReplySignal {
  const waiting = new Map<RunId, Set<() => void>>();
  return {
    wait: (runId, { maxMs, signal }) =>
      new Promise<void>((resolve) => {
        const waiters = waiting.get(runId) ?? new Set();
        waiting.set(runId, waiters);
        const done = (): void => {
          clearTimeout(timer);
          signal.removeEventListener("abort", done);
          waiters.delete(done);
          if (waiters.size === 0) waiting.delete(runId);
          resolve();
        };
        const timer = setTimeout(done, Math.min(LOOK_AGAIN_MS, maxMs));
        waiters.add(done);
        if (signal.aborted) done();
        else signal.addEventListener("abort", done);
      }),
    tell: (runId) => {
      for (const done of [...(waiting.get(runId) ?? [])]) done();
    },
  };
}
