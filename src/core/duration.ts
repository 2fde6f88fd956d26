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
