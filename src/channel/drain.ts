import type { Logger } from "../core/runtime.ts";
import { pause, systemTimers } from "../core/waiting.ts";

/** How long a stop waits for what is still on its way in. */
const DRAIN_MS = 5_000;

/**
 * Waits for work that was taken in before a stop, but not for ever: an event whose commit hangs is not acknowledged and comes
 * again (IN-3), so leaving it loses nothing. Never rejects.
 */
export async function drained(work: Promise<unknown>, log: Logger): Promise<void> {
  const late = new AbortController();
  const tooLate = pause(DRAIN_MS, late.signal, systemTimers).then(() => !late.signal.aborted);
  const done = work.then(
    () => false,
    (error: unknown) => {
      log.debug({ err: error }, "what was taken in before the stop did not end well");
      return false;
    },
  );
  const isLate = await Promise.race([done, tooLate]);
  late.abort();
  if (isLate)
    log.warn({}, "an event is still not stored; the stop does not wait for it any longer, and it comes again");
}
