import { channelQueue, queueWith } from "../core/message/queue.ts";
import type { MergePolicy } from "../core/message/turn-inputs.ts";
import type { Session } from "../core/session/session.ts";
import type { Settings } from "../core/settings.ts";
import { sessionModel } from "../sessions/session-model.ts";
import type { EffectiveToolsOf } from "../tools/policy.ts";

/** What of a session's inputs belongs together (TN-3, TN-4). Rights are the same when the effective tools are. */
export function mergePolicy(settings: Settings, session: Session, effectiveTools: EffectiveToolsOf): MergePolicy {
  const agent = settings.agents.get(session.agentId);
  const { queue } = settings.messages;
  return {
    mode: (route) => queueWith(channelQueue(queue, route?.channel ?? null), session.queue).mode,
    quietMs: queueWith(queue, session.queue).quietMs,
    signature: (rights) => {
      if (agent === undefined) return "";
      const { tools } = effectiveTools({
        settings,
        agent,
        session,
        rights,
        model: sessionModel(settings, agent, session),
      });
      return tools.map((tool) => tool.name).join(" ");
    },
  };
}
