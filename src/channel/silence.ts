/** How often a connection is looked at. */
const TICK_MS = 250;

/** What to do after so many milliseconds without a sign of life; once per silence. */
export interface SilenceStage {
  readonly afterMs: number;
  readonly act: () => void;
}

/**
 * Watches one connection for a silence that nobody tells of: a half-open socket has neither an event nor an error (CH-6,
 * FC-073). `sign` returns a value that changes with every sign of life; the acts of `stages` (shortest first) follow when it
 * stays the same. Time in which this very process stood still counts as one look: what came meanwhile is read after it, so a
 * busy moment is no silence (FC-071). `onLife`: called with the first sign after an act. Returns how to stop.
 */
export function watchSilence(
  sign: () => unknown,
  stages: readonly SilenceStage[],
  onLife: () => void = () => undefined,
): () => void {
  let last = sign();
  let quietMs = 0;
  let lookedAt = performance.now();
  let acted = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    const passed = Math.min(now - lookedAt, 2 * TICK_MS);
    lookedAt = now;
    const seen = sign();
    if (seen !== last) {
      last = seen;
      quietMs = 0;
      if (acted > 0) onLife();
      acted = 0;
      return;
    }
    quietMs += passed;
    for (const stage of stages.slice(acted)) {
      if (quietMs < stage.afterMs) break;
      acted += 1;
      stage.act();
    }
  }, TICK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
