import type { SessionKey } from "../../../core/session/session-key.ts";
import { abortOpenTurn } from "../../parts/close-turn.ts";
import { type Killed, killDescendants, withdrawInputs } from "../../parts/kill-runs.ts";
import { stopChainsFrom } from "../../parts/stop-chains.ts";
import { defineStep } from "../../store.ts";

export interface Stopped extends Killed {
  readonly turn: boolean;
  /** People's messages that were waiting and are dropped. */
  readonly dropped: number;
  /** Chains that its turns had set off and that went on, here or elsewhere (ST-28). */
  readonly chains: number;
}

/** TN-8: aborts the session's turn, drops what waits, ends its running children and theirs, and what all of it set off elsewhere; their completions wake nobody. */
export const stopSession = defineStep(
  "stop-session",
  "normal",
  async (
    context,
    input: {
      readonly sessionKey: SessionKey;
      readonly archiveAfterMs: number | null;
      /** The sequence of the command: what was written after it is not dropped. */
      readonly before: number;
    },
  ): Promise<Stopped> => {
    const killed = await killDescendants(context, input.sessionKey, {
      silent: true,
      archiveAfterMs: input.archiveAfterMs,
    });
    const turn = await abortOpenTurn(context, input.sessionKey);
    const chained = await stopChainsFrom(context, input.sessionKey, {
      silent: true,
      archiveAfterMs: input.archiveAfterMs,
    });
    const dropped = await withdrawInputs(context, input.sessionKey, input.before);
    await context.db
      .updateTable("sessions")
      .set({ yield_wait: null, yield_note: null })
      .where("key", "=", input.sessionKey)
      .execute();
    const sessions = [...new Set([...killed.sessions, ...chained.sessions])];
    return { runs: [...killed.runs, ...chained.runs], sessions, turn, dropped, chains: chained.chains };
  },
);
