import type { SessionId } from "../../../core/ids.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { abortOpenTurn } from "../../parts/close-turn.ts";
import { type Killed, killDescendants } from "../../parts/kill-runs.ts";
import { dropResults, startNewLife } from "../../parts/new-life.ts";
import { defineStep } from "../../store.ts";

export interface ResetInput {
  readonly sessionKey: SessionKey;
  /** What asked for it (a command's input key): the same cause twice is one reset. */
  readonly cause: string;
  readonly actor: string;
  /** `provider/model` of the new life, when `/new` names one; undefined: keep what was set. */
  readonly model?: string;
  readonly archiveAfterMs: number | null;
}

/**
 * `/new` and `/reset` (TN-13): a new session id under the same key. The old transcript stays readable by its id; a running
 * turn is aborted, unfinished children end silently, messages that wait go to the new life.
 */
export const resetSession = defineStep(
  "reset-session",
  "normal",
  async (context, input: ResetInput): Promise<{ readonly sessionId: SessionId; readonly killed: Killed }> => {
    const { db } = context;
    const known = await db.selectFrom("session_ids").selectAll().where("cause", "=", input.cause).executeTakeFirst();
    if (known !== undefined) return { sessionId: known.session_id, killed: { runs: [], sessions: [] } };
    const killed = await killDescendants(context, input.sessionKey, {
      silent: true,
      archiveAfterMs: input.archiveAfterMs,
    });
    const aborted = await abortOpenTurn(context, input.sessionKey);
    await dropResults(context, input.sessionKey);
    const { model } = input;
    const sessionId = await startNewLife(context, {
      sessionKey: input.sessionKey,
      cause: input.cause,
      actor: { type: "human", id: input.actor },
      ...(model === undefined ? {} : { model }),
    });
    return {
      sessionId,
      killed: { ...killed, sessions: aborted ? [...killed.sessions, input.sessionKey] : killed.sessions },
    };
  },
);
