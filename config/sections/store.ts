import { dirname, resolve } from "node:path";
import { z } from "zod";
import type { RetentionSettings, Settings } from "../../src/core/settings.ts";
import { BAD_STORE_URL, badDuration, keptTooShort, POSTGRES_NOT_YET } from "../../src/core/texts/config/sections.ts";
import type { NormaliseContext } from "./context.ts";
import { duration, durationMs, filledText } from "./values.ts";

export const storeSchema = z.strictObject({
  url: filledText.optional(),
  retention: z
    .strictObject({ events: duration.optional(), records: duration.optional(), sessions: duration.optional() })
    .optional(),
});
type StoreSection = z.infer<typeof storeSchema>;

const DAY_MS = 24 * 3_600_000;

type Key = keyof NonNullable<StoreSection["retention"]>;

/** OP-10: how long what only serves looking back is kept. */
export function normaliseRetention(context: NormaliseContext, section: StoreSection | undefined): RetentionSettings {
  const read = (key: Key, defaultMs: number, leastMs: number): number => {
    const written = section?.retention?.[key];
    if (written === undefined) return defaultMs;
    const path = ["store", "retention", key];
    const ms = durationMs(written);
    if (ms === null) {
      context.findings.fault(path, badDuration(written));
      return defaultMs;
    }
    const isKept = key === "sessions" && ms === 0;
    if (ms < leastMs && !isKept) {
      context.findings.fault(path, keptTooShort(leastMs / DAY_MS));
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

const SQLITE = "sqlite:";

/** The data folder is the one of the SQLite file; a relative path starts from the configuration file's folder. */
export function normaliseStore(section: StoreSection | undefined, context: NormaliseContext): Settings["store"] {
  const written = section?.url ?? "sqlite:./data/switchyard.db";
  const path = ["store", "url"];
  if (/^postgres(ql)?:\/\//.test(written)) {
    context.findings.fault(path, POSTGRES_NOT_YET);
  } else if (!written.startsWith(SQLITE) || written.length === SQLITE.length) {
    context.findings.fault(path, BAD_STORE_URL);
  }
  const file = resolve(
    context.baseDir,
    written.startsWith(SQLITE) ? written.slice(SQLITE.length) : "data/switchyard.db",
  );
  return { url: `${SQLITE}${file}`, dataDir: dirname(file) };
}
