import type { RetentionSettings } from "../../src/core/settings.ts";
import type { ConfigFile } from "../load/schema.ts";
import type { NormaliseContext } from "./context.ts";
import { durationMs } from "./values.ts";

const DAY_MS = 24 * 3_600_000;

type Key = keyof NonNullable<NonNullable<ConfigFile["store"]>["retention"]>;

/** OP-10: how long what only serves looking back is kept. */
export function normaliseRetention(context: NormaliseContext, section: ConfigFile["store"]): RetentionSettings {
  const read = (key: Key, defaultMs: number, leastMs: number): number => {
    const written = section?.retention?.[key];
    if (written === undefined) return defaultMs;
    const path = ["store", "retention", key];
    const ms = durationMs(written);
    if (ms === null) {
      context.findings.fault(
        path,
        `"${written}" is not a duration`,
        'Write it like "30d", or as a number of milliseconds.',
      );
      return defaultMs;
    }
    const isKept = key === "sessions" && ms === 0;
    if (ms < leastMs && !isKept) {
      const least = `${leastMs / DAY_MS} ${leastMs === DAY_MS ? "day" : "days"}`;
      context.findings.fault(path, `is shorter than ${least}`, `Write at least "${leastMs / DAY_MS}d".`);
    }
    return ms;
  };
  return {
    // IN-2: an event is known as seen for at least seven days.
    eventsMs: read("events", 8 * DAY_MS, 7 * DAY_MS),
    recordsMs: read("records", 30 * DAY_MS, DAY_MS),
    sessionsMs: read("sessions", 0, DAY_MS),
  };
}
