import {
  DEFAULT_RESET,
  RESET_TYPES,
  type ResetPolicy,
  type ResetSettings,
  type ResetType,
} from "../../src/core/session/auto-reset.ts";
import type { ThreadBindingSettings } from "../../src/core/settings.ts";
import type { ConfigPath } from "../load/findings.ts";
import type { SessionSection } from "../load/schema.ts";
import { channelNamed, type NormaliseContext } from "./context.ts";
import type { ResetPolicySection, ThreadBindingsSection } from "./values.ts";

/** TN-13: the general policy, and by type and channel what differs from it. */
export function normaliseReset(context: NormaliseContext, section: SessionSection | undefined): ResetSettings {
  const general = policy(context, section?.reset, { base: DEFAULT_RESET, path: ["session", "reset"] });
  const byType = new Map<ResetType, ResetPolicy>();
  for (const type of RESET_TYPES) {
    const written = section?.resetByType?.[type];
    if (written === undefined) continue;
    byType.set(type, policy(context, written, { base: general, path: ["session", "resetByType", type] }));
  }
  const byChannel = new Map<string, ResetPolicy>();
  for (const [channel, written] of Object.entries(section?.resetByChannel ?? {})) {
    const path = ["session", "resetByChannel", channel];
    if (channelNamed(context, channel, path) === null) continue;
    byChannel.set(channel, policy(context, written, { base: general, path }));
  }
  return { general, byType, byChannel };
}

function policy(
  { findings }: NormaliseContext,
  written: ResetPolicySection | undefined,
  { base, path }: { readonly base: ResetPolicy; readonly path: ConfigPath },
): ResetPolicy {
  const mode = written?.mode ?? base.mode;
  // A key that its mode does not look at is a promise that is silently broken (FC-089).
  const idle = written?.atHour !== undefined && mode !== "daily" ? "atHour" : null;
  const unused = written?.idleMinutes !== undefined && mode !== "idle" ? "idleMinutes" : idle;
  if (unused !== null) {
    const needed = unused === "atHour" ? "daily" : "idle";
    findings.warn([...path, unused], `means nothing with mode "${mode}"`, `Write mode: "${needed}", or remove it.`);
  }
  return {
    mode,
    atHour: written?.atHour ?? base.atHour,
    idleMs: written?.idleMinutes === undefined ? base.idleMs : Math.round(written.idleMinutes * 60_000),
  };
}

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
