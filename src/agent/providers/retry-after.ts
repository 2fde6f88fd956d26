import type { VendorError } from "./vendor-error.ts";

/**
 * How long a provider asks to wait, in milliseconds: `retry-after-ms`, `retry-after` (seconds or a date), or Google's
 * `retryDelay` in the body. null when it says nothing readable. Never negative.
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string>>,
  vendor: VendorError | null,
  now: number,
): number | null {
  const ms = number(headers["retry-after-ms"]);
  if (ms !== null) return ms;
  const header = headers["retry-after"];
  const seconds = number(header);
  if (seconds !== null) return Math.ceil(seconds * 1000);
  const date = header === undefined ? Number.NaN : Date.parse(header);
  if (!Number.isNaN(date)) return Math.max(0, date - now);
  const delay = /^([\d.]+)s$/.exec(vendor?.retryDelay ?? "");
  return delay === null ? null : Math.ceil(Number(delay[1]) * 1000);
}

function number(text: string | undefined): number | null {
  if (text === undefined || text.trim() === "") return null;
  const value = Number(text);
  return Number.isFinite(value) && value >= 0 ? value : null;
}
