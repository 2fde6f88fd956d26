import {
  DEFAULT_RESET,
  RESET_TYPES,
  type ResetPolicy,
  type ResetSettings,
  type ResetType,
} from "../src/core/session/auto-reset.ts";
import type { ConfigPath } from "./findings.ts";
import { channelNamed, type NormaliseContext } from "./normalise-context.ts";
import type { SessionSection } from "./schema.ts";
import type { ResetPolicySection } from "./section-values.ts";

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
