/** Timers a test can replace, so that it decides when time passes. */
export interface Timers {
  /** Runs `run` once after `ms` milliseconds. The returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** Node's own timers. They keep no process alive: what they would do is found again from the rows. */
export const systemTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Node's own timers, for work the process must stay alive for. */
const holdingTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** The only way the product sleeps: resolves after `ms`, or at once when the signal is aborted. The caller looks at the signal. */
export function pause(ms: number, signal: AbortSignal | null, timers: Timers = holdingTimers): Promise<void> {
  if (signal?.aborted === true || ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const cancel = timers.after(ms, done);
    signal?.addEventListener("abort", done, { once: true });
  });
}

/** The waits between tries: the first one, doubled after each failure, never longer than the longest. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The full wait after this many failures (1 or more). */
export function backoffMs({ firstMs, longestMs }: Backoff, failures: number): number {
  return Math.min(firstMs * 2 ** (Math.max(failures, 1) - 1), longestMs);
}

/** Between half of a wait and all of it, so that tries that failed together do not stay in step (FC-074). */
export function jittered(ms: number, random: number = Math.random()): number {
  return Math.round(ms * (0.5 + random / 2));
}
