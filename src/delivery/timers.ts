/** The only way this folder waits, so that tests decide when time passes. */
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

/** Resolves after `ms`, or at once when the signal is aborted; the caller looks at the signal. */
export function sleep(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = timers.after(ms, done);
    signal.addEventListener("abort", done, { once: true });
  });
}
