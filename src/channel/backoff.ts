import { setTimeout as sleep } from "node:timers/promises";

const FIRST_MS = 300;
/** So short because an account is to be back within 10 s after the cause is gone. */
const LONGEST_MS = 4_000;

/** The wait before attempt `failures + 1`: doubling, and jittered so that accounts that fell together, or two pollers of one token, do not stay in step (FC-074). */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  const full = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
  return Math.round(full * (0.5 + random() / 2));
}

/** Waits, or returns at once when called off. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
