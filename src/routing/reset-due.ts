import type { ChannelId } from "../core/ids.ts";
import { isResetDue, resetPolicyOf } from "../core/session/auto-reset.ts";
import { agentOf, type SessionKey } from "../core/session/session-key.ts";
import type { Settings } from "../core/settings.ts";
import type { LocalTime } from "../core/time.ts";

/** Whether a session's automatic reset is due when a person writes to it `now`, by when one last did (TN-13). */
export function resetJudge(
  settings: Settings,
  place: { readonly key: SessionKey; readonly channel: ChannelId },
  { now, localTime }: { readonly now: number; readonly localTime: LocalTime },
): (lastHumanAt: number) => boolean {
  const policy = resetPolicyOf(settings.session.reset, place.key, place.channel);
  if (policy === null || policy.mode === "none") return () => false;
  const timeZone = settings.agents.get(agentOf(place.key))?.userTimezone ?? "UTC";
  return (lastHumanAt) => isResetDue(policy, { lastHumanAt, now, timeZone }, localTime);
}
