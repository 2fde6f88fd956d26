const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Milliseconds of a duration as people type it (`500ms`, `90s`, `15m`, `2h`, `1d`); null when it is none. */
export function readDuration(text: string): number | null {
  const [, amount, unit] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)\s*$/i.exec(text) ?? [];
  const factor = unit === undefined ? undefined : UNITS[unit.toLowerCase()];
  return amount === undefined || factor === undefined ? null : Math.round(Number(amount) * factor);
}

/** A duration for people: `90 min`, `24 h`, `3 days`. */
export function durationText(ms: number): string {
  if (ms >= 2 * DAY_MS && ms % DAY_MS === 0) return `${ms / DAY_MS} days`;
  if (ms >= HOUR_MS && ms % HOUR_MS === 0) return `${ms / HOUR_MS} h`;
  if (ms >= 60_000) return `${Math.round(ms / 60_000)} min`;
  return `${Math.round(ms / 1_000)} s`;
}

/** The same, rounded to what one looks at: `24 h`, not `1439 min`. */
export function roughDuration(ms: number): string {
  if (ms >= 2 * DAY_MS) return durationText(Math.round(ms / DAY_MS) * DAY_MS);
  return durationText(ms >= 2 * HOUR_MS ? Math.round(ms / HOUR_MS) * HOUR_MS : ms);
}

/** Times as people in a time zone read them. Building a formatter costs about a millisecond, so they are kept per zone. */
export interface LocalTime {
  /** `2026-11-30 14:05`. Who reads it knows the zone: the prompt names it once (FC-234). */
  minute(at: number, timeZone: string): string;
  /** `2026-11-30`. */
  day(at: number, timeZone: string): string;
  /**
   * When the clock there last struck `hour` (0 to 23), at or before `at`. An hour that a change to summer time leaves out
   * strikes where the clock jumped; one that comes twice strikes the first time.
   */
  lastHour(at: number, timeZone: string, hour: number): number;
}

export function createLocalTime(): LocalTime {
  const formatters = new Map<string, Intl.DateTimeFormat>();
  // Every message asks for the present minute, twice.
  const newest = new Map<string, { readonly minute: number; readonly text: string }>();
  const text = (at: number, timeZone: string): string => {
    const minute = Math.floor(at / 60_000);
    const known = newest.get(timeZone);
    if (known?.minute === minute) return known.text;
    const made = format(at, timeZone);
    newest.set(timeZone, { minute, text: made });
    return made;
  };
  const format = (at: number, timeZone: string): string => {
    let formatter = formatters.get(timeZone);
    if (formatter === undefined) {
      // Swedish writes ISO order: date, space, time.
      formatter = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
      formatters.set(timeZone, formatter);
    }
    return formatter.format(at);
  };
  /** The reading of the wall clock as if it were UTC, to the minute. */
  const wall = (at: number, timeZone: string): number => Date.parse(`${text(at, timeZone).replace(" ", "T")}:00Z`);
  const offset = (at: number, timeZone: string): number => wall(at, timeZone) - Math.floor(at / 60_000) * 60_000;
  /** When the wall clock reads `reading`. */
  const instant = (reading: number, timeZone: string): number => {
    const before = reading - offset(reading - DAY_MS, timeZone);
    const after = reading - offset(reading + DAY_MS, timeZone);
    const found = [before, after].toSorted((a, b) => a - b).find((one) => wall(one, timeZone) === reading);
    return found ?? before;
  };
  const lastHour: LocalTime["lastHour"] = (at, timeZone, hour) => {
    const today = Math.floor(wall(at, timeZone) / DAY_MS) * DAY_MS + hour * HOUR_MS;
    const struck = instant(today, timeZone);
    return struck <= at ? struck : instant(today - DAY_MS, timeZone);
  };
  return {
    minute: text,
    day: (at, timeZone) => text(at, timeZone).slice(0, 10),
    lastHour,
  };
}

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
