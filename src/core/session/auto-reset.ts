import type { ChannelId } from "../ids.ts";
import type { LocalTime } from "../time.ts";
import { parseSessionKey, type SessionKey } from "./session-key.ts";

export const RESET_MODES = ["none", "daily", "idle"] as const;
export const RESET_TYPES = ["direct", "group", "thread"] as const;
/** What kind of conversation a session is of, for `session.resetByType`. */
export type ResetType = (typeof RESET_TYPES)[number];

/** When a session starts anew by itself (TN-13). */
export interface ResetPolicy {
  readonly mode: (typeof RESET_MODES)[number];
  /** `daily`: the hour of the day in the agent's time zone, 0 to 23. */
  readonly atHour: number;
  /** `idle`: how long nobody wrote, in milliseconds. */
  readonly idleMs: number;
}

export interface ResetSettings {
  readonly general: ResetPolicy;
  readonly byType: ReadonlyMap<ResetType, ResetPolicy>;
  readonly byChannel: ReadonlyMap<ChannelId, ResetPolicy>;
}

export const DEFAULT_RESET: ResetPolicy = { mode: "none", atHour: 4, idleMs: 60 * 60_000 };

/** The policy of a session: its channel's, else its type's, else the general one; null: sub-agents and the like have none. */
export function resetPolicyOf(settings: ResetSettings, key: SessionKey, channel: ChannelId): ResetPolicy | null {
  const type = resetType(key);
  if (type === null) return null;
  return settings.byChannel.get(channel) ?? settings.byType.get(type) ?? settings.general;
}

function resetType(key: SessionKey): ResetType | null {
  const parts = parseSessionKey(key);
  if (parts === null || !("thread" in parts)) return null;
  if (parts.thread !== null) return "thread";
  return parts.kind === "group" || parts.kind === "channel" ? "group" : "direct";
}

/** TN-13: judged by when a person last wrote or gave a command, `lastHumanAt`; nothing in the background counts. */
export function isResetDue(
  policy: ResetPolicy,
  at: { readonly lastHumanAt: number; readonly now: number; readonly timeZone: string },
  localTime: LocalTime,
): boolean {
  switch (policy.mode) {
    case "none":
      return false;
    case "idle":
      return at.now - at.lastHumanAt >= policy.idleMs;
    case "daily":
      return at.lastHumanAt < localTime.lastHour(at.now, at.timeZone, policy.atHour);
  }
}
