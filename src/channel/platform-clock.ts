import type { Clock } from "../core/runtime.ts";

/** A clock this far from the platform's makes ages and expiries wrong; at five minutes Slack refuses every request (CH-2). */
export const CLOCK_TOLERANCE_MS = 60_000;

/**
 * The time as the platform counts it (FC-320). The age of a message, of a token or of a signature is measured with it: this machine's
 * clock may be wrong, and then every live message would look missed.
 */
export interface PlatformClock extends Clock {
  /** The `Date` header of a response that has just arrived. */
  heard(date: string | null | undefined): void;
  /** The platform made something at this moment, milliseconds of its own clock. Used only while no `Date` header was seen. */
  happened(at: number): void;
  /** A time of this machine, as the platform's clock shows it. */
  at(machineTime: number): number;
  /** What this machine noted at that time is no older on the platform, whichever of the two clocks was right then. */
  earliest(machineTime: number): number;
  /** How far this machine's clock is ahead of the platform's; negative: behind. 0: within a minute, or not known. */
  aheadMs(): number;
}

interface Reading {
  readonly platform: number;
  /** Of a clock that nothing sets: a correction of the machine's clock must not change the platform's. */
  readonly elapsed: number;
}

export function createPlatformClock(parts: {
  readonly clock: Clock;
  /** Told when the machine's clock turns out to be wrong, and when it is right again. */
  readonly onSkew?: (aheadMs: number) => void;
  readonly elapsed?: () => number;
}): PlatformClock {
  const { clock, onSkew = () => undefined, elapsed = () => performance.now() } = parts;
  let reading: Reading | null = null;
  let isFromHeader = false;
  let told = 0;

  function aheadMs(): number {
    if (reading === null) return 0;
    const off = clock.now() - (reading.platform + elapsed() - reading.elapsed);
    return Math.abs(off) < CLOCK_TOLERANCE_MS ? 0 : Math.round(off);
  }

  function read(platform: number): void {
    reading = { platform, elapsed: elapsed() };
    const ahead = aheadMs();
    if (Math.sign(ahead) !== Math.sign(told)) onSkew(ahead);
    told = ahead;
  }

  return {
    heard(date) {
      const at = Date.parse(date ?? "");
      if (Number.isNaN(at)) return;
      isFromHeader = true;
      // The header has whole seconds only.
      read(at + 500);
    },
    happened(at) {
      if (!isFromHeader) read(at);
    },
    now: () => clock.now() - aheadMs(),
    at: (machineTime) => machineTime - aheadMs(),
    earliest: (machineTime) => machineTime - Math.max(0, aheadMs()),
    aheadMs,
  };
}
