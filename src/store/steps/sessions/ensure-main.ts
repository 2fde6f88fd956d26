import type { AgentId } from "../../../core/ids.ts";
import type { Session } from "../../../core/session/session.ts";
import { mainSessionKey } from "../../../core/session/session-key.ts";
import { ensureSession } from "../../parts/sessions.ts";
import { defineStep } from "../../store.ts";

/** SK-6: an agent's main session always exists; without a route it announces nowhere. */
export const ensureMain = defineStep(
  "ensure-main",
  "normal",
  (context, agentId: AgentId): Promise<Session> =>
    ensureSession(context, { key: mainSessionKey(agentId), agentId, channel: null, originRoute: null }),
);
