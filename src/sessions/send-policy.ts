import type { SendPolicyAction, Session } from "../core/session/session.ts";
import { parseSessionKey, type SessionKey } from "../core/session/session-key.ts";
import type { ChatType, SendPolicy } from "../core/settings.ts";

export interface SendDecision {
  readonly action: SendPolicyAction;
  /** What decided: `/send` in the session, a rule of the configuration, or its default. */
  readonly by: "session" | "rule" | "default";
}

/**
 * Whether other sessions may send to a session (ST-22): `/send` there decides; else of the rules that match a `deny` wins over
 * any `allow`, so that no order of rules opens what one of them closes; else the default. Pure.
 */
export function sendDecision(
  policy: SendPolicy,
  target: Pick<Session, "key" | "channel" | "lastRoute" | "sendPolicy">,
): SendDecision {
  if (target.sendPolicy !== null) return { action: target.sendPolicy, by: "session" };
  const channel = target.channel ?? target.lastRoute?.channel ?? null;
  const chatType = chatTypeOf(target.key);
  const actions = policy.rules
    .filter(
      ({ match }) =>
        (match.channel === null || match.channel === channel) &&
        (match.chatType === null || match.chatType === chatType) &&
        (match.keyPrefix === null || target.key.startsWith(match.keyPrefix)),
    )
    .map(({ action }) => action);
  if (actions.includes("deny")) return { action: "deny", by: "rule" };
  return actions.length > 0 ? { action: "allow", by: "rule" } : { action: policy.default, by: "default" };
}

/** A main session is the operator's direct conversation; a sub-agent has none. */
function chatTypeOf(key: SessionKey): ChatType | null {
  const kind = parseSessionKey(key)?.kind;
  switch (kind) {
    case "main":
    case "direct":
      return "direct";
    case "group":
    case "channel":
      return kind;
    default:
      return null;
  }
}
