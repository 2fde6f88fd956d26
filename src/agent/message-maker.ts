import type { LocalTime } from "../core/local-time.ts";
import { agentOf, type SessionKey } from "../core/session/session-key.ts";
import type { Settings } from "../core/settings.ts";
import type { ToMessage } from "../store/parts/claim-inputs.ts";
import { toMessage } from "./input-message.ts";

/** How a session's inputs read, with times in its agent's zone. */
export function messageMaker(
  settings: Settings,
  key: SessionKey,
  { localTime }: { readonly localTime: LocalTime },
): ToMessage {
  const timeZone = settings.agents.get(agentOf(key))?.userTimezone ?? "UTC";
  return (item) => toMessage(item, (at) => localTime.minute(at, timeZone));
}
