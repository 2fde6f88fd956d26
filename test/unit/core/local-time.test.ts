import { expect, test } from "vitest";
import { createLocalTime } from "../../../src/core/time.ts";

const localTime = createLocalTime();
const last = (at: string, hour: number, zone: string): string =>
  new Date(localTime.lastHour(Date.parse(at), zone, hour)).toISOString().replace(".000Z", "Z");

test.each([
  ["an ordinary day", "2026-06-10T12:34:56Z", 4, "Europe/Vienna", "2026-06-10T02:00:00Z"],
  ["before the hour it is yesterday's", "2026-06-10T01:59:00Z", 4, "Europe/Vienna", "2026-06-09T02:00:00Z"],
  ["at the very minute", "2026-06-10T02:00:00Z", 4, "Europe/Vienna", "2026-06-10T02:00:00Z"],
  ["the day summer time begins", "2026-03-29T09:00:00Z", 4, "Europe/Vienna", "2026-03-29T02:00:00Z"],
  ["the day before, in winter time", "2026-03-29T01:30:00Z", 4, "Europe/Vienna", "2026-03-28T03:00:00Z"],
  ["an hour that is left out strikes at the jump", "2026-03-29T09:00:00Z", 2, "Europe/Vienna", "2026-03-29T01:00:00Z"],
  ["an hour that comes twice strikes first", "2026-10-25T09:00:00Z", 2, "Europe/Vienna", "2026-10-25T00:00:00Z"],
  ["the day summer time ends", "2026-10-25T09:00:00Z", 4, "Europe/Vienna", "2026-10-25T03:00:00Z"],
  ["a zone of half hours", "2026-06-10T12:00:00Z", 4, "Asia/Kolkata", "2026-06-09T22:30:00Z"],
  ["far west", "2026-06-10T05:00:00Z", 4, "America/Los_Angeles", "2026-06-09T11:00:00Z"],
])("TN-13: the last time the clock struck, %s", (_name, at, hour, zone, struck) => {
  expect(last(at, hour, zone)).toBe(struck);
});
