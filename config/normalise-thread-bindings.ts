import type { ThreadBindingSettings } from "../src/core/settings.ts";
import type { ThreadBindingsSection } from "./section-values.ts";

const HOUR_MS = 3_600_000;

/** TB-4. What nothing says. */
export const THREAD_BINDING_DEFAULTS: ThreadBindingSettings = {
  enabled: true,
  idleMs: 24 * HOUR_MS,
  maxAgeMs: 0,
  spawnSessions: true,
  defaultSpawnContext: "fork",
};

/** A section over what it inherits: the account's over the channel's over the session's over the defaults, key by key. */
export function normaliseThreadBindings(
  section: ThreadBindingsSection | undefined,
  inherited: ThreadBindingSettings,
): ThreadBindingSettings {
  return {
    enabled: section?.enabled ?? inherited.enabled,
    idleMs: section?.idleHours === undefined ? inherited.idleMs : Math.round(section.idleHours * HOUR_MS),
    maxAgeMs: section?.maxAgeHours === undefined ? inherited.maxAgeMs : Math.round(section.maxAgeHours * HOUR_MS),
    spawnSessions: section?.spawnSessions ?? inherited.spawnSessions,
    defaultSpawnContext: section?.defaultSpawnContext ?? inherited.defaultSpawnContext,
  };
}
