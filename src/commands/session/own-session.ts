import { BridgeError } from "../../core/errors.ts";
import { sessionTexts } from "../../core/texts/commands/session.ts";
import { sessionByKey } from "../../store/reads/sessions/targets.ts";
import type { CommandContext, OwnSession } from "../command.ts";

/** The session of the conversation the command was typed in, with its agent (CM-4). Rejects with a message for the person if either no longer exists. */
export async function ownSession({ services, sessionKey }: CommandContext): Promise<OwnSession> {
  const session = await services.store.read(sessionByKey, sessionKey);
  if (session === null) {
    throw new BridgeError("no_session", `no session ${sessionKey}`, { forPerson: sessionTexts.noSession });
  }
  const agent = services.settings.agents.get(session.agentId);
  if (agent === undefined) {
    throw new BridgeError("no_agent", `no agent ${session.agentId}`, {
      forPerson: sessionTexts.agentGone(session.agentId),
    });
  }
  return { session, agent };
}
