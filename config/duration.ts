const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `"500ms"`, `"90s"`, `"15m"`, `"2h"`, `"1d"` or a number of milliseconds; null when it is none of these. */
export function durationMs(value: string | number): number | null {
  if (typeof value === "number") return Number.isFinite(value) && value >= 0 ? Math.round(value) : null;
  const [, amount, unit] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)\s*$/.exec(value) ?? [];
  const factor = unit === undefined ? undefined : UNITS[unit];
  return amount === undefined || factor === undefined ? null : Math.round(Number(amount) * factor);
}
