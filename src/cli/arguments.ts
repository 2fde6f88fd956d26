import { InvalidArgumentError } from "commander";
import { DELIVERY_NUMBER, NUMBER_TO_1000, TIME_SPAN } from "../core/texts/cli/help.ts";
import { readDuration } from "../core/time.ts";

/** A whole number from 1 to 1000, as an option or argument. */
export function positiveNumber(written: string): number {
  const number = Number(written);
  if (!/^\d+$/.test(written) || number < 1 || number > 1_000) throw new InvalidArgumentError(NUMBER_TO_1000);
  return number;
}

/** The number of a delivery, or the run whose result was lost. */
export function deliveryOrRun(written: string): number | string {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(written) ? written : deliveryId(written);
}

/** The number of a delivery. */
export function deliveryId(written: string): number {
  const number = Number(written);
  if (!/^\d+$/.test(written) || number < 1 || !Number.isSafeInteger(number)) {
    throw new InvalidArgumentError(DELIVERY_NUMBER);
  }
  return number;
}

/** A thousand years: what lies before has no row, and a store takes no number without end. */
const MOST_MS = 365_000 * 86_400_000;

/** A time that has passed, such as `90s`, `20m`, `2h` or `3d`; in milliseconds. */
export function timeSpan(written: string): number {
  const ms = readDuration(written);
  if (ms === null || ms <= 0 || ms > MOST_MS) throw new InvalidArgumentError(TIME_SPAN);
  return ms;
}
