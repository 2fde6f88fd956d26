import { turnTask } from "../../../core/message/turn-inputs.ts";
import type { TurnFence } from "../../../core/session/turn.ts";
import { TURN_PARKED } from "../../../core/texts/chat/completion-text.ts";
import { INPUT_FAILED, turnParked } from "../../../core/texts/store/outcomes.ts";
import { closeTurn, consumeInputs, settleDropped } from "../../parts/close-turn.ts";
import { endRun } from "../../parts/end-run.ts";
import { deletePreview, insertDeliveries } from "../../parts/outbox.ts";
import { insertFailure } from "../../parts/record-failure.ts";
import { passFence } from "../../parts/sessions.ts";
import { runFromRow } from "../../rows.ts";
import { defineStep } from "../../store.ts";

export interface ParkTurnInput extends TurnFence {
  /** What went wrong, for the operator. */
  readonly reason: string;
}

/**
 * TN-20: an open turn that cannot be ended in the ordinary way. It asks for nothing that may be what fails: no configuration, clock or
 * renderer. People and operator are told, and the session goes on with what waits.
 */
export const parkTurn = defineStep(
  "park-turn",
  "normal",
  async (context, { reason, ...fence }: ParkTurnInput): Promise<void> => {
    const { db } = context;
    const turn = await passFence(context, fence);
    await closeTurn(context, turn, { outcome: "error", error: INPUT_FAILED });
    await settleDropped(context, await consumeInputs(context, turn.id), INPUT_FAILED);
    await deletePreview(context, turn.id);
    const { route, replyTo } = turn.source;
    const content = { kind: "message", piece: TURN_PARKED, replyTo, private: false } as const;
    const deliveries = route === null ? [] : [{ key: `parked-turn:${turn.id}`, route, content }];
    const { sessionKey } = turn;
    await insertDeliveries(context, { deliveries, sessionKey, turnId: turn.id, runId: turn.runId });
    await insertFailure(context, { kind: "turn", subject: turn.id, sessionKey, message: turnParked(reason) });
    const run = await db
      .selectFrom("runs")
      .selectAll()
      .where("session_key", "=", sessionKey)
      .where("kind", "=", "spawn")
      .where("ended_at", "is", null)
      .executeTakeFirst();
    if (turnTask(sessionKey) === "child-turn" && run !== undefined) {
      const end = { outcome: "error", result: null, error: INPUT_FAILED, silent: false, archiveAfterMs: null } as const;
      await endRun(context, runFromRow(run), end);
    }
    context.enqueue(turnTask(sessionKey), sessionKey);
  },
);
