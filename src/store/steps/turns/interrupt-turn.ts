import { beforeCommand, interruptsTurn, type MergePolicy, turnTask } from "../../../core/message/turn-inputs.ts";
import type { Session } from "../../../core/session/session.ts";
import type { TurnFence } from "../../../core/session/turn.ts";
import { abortOpenTurn } from "../../parts/close-turn.ts";
import { presentInputs } from "../../parts/present-inputs.ts";
import { inboxItemFromRow, sessionFromRow, turnFromRow } from "../../rows.ts";
import { defineStep } from "../../store.ts";

export interface InterruptTurnInput extends TurnFence {
  readonly policy: (session: Session) => MergePolicy;
}

/**
 * TN-3 `interrupt`: ends the running turn when a message waits that may end it; the message starts the next one. False: there is
 * none, or the turn has ended by itself.
 */
export const interruptTurn = defineStep(
  "interrupt-turn",
  "normal",
  async (context, input: InterruptTurnInput): Promise<boolean> => {
    const { db, enqueue } = context;
    const row = await db
      .selectFrom("turns")
      .selectAll()
      .where("id", "=", input.turnId)
      .where("fence", "=", input.fence)
      .where("ended_at", "is", null)
      .executeTakeFirst();
    if (row === undefined) return false;
    const turn = turnFromRow(row);
    const session = await db.selectFrom("sessions").selectAll().where("key", "=", turn.sessionKey).executeTakeFirst();
    if (session === undefined) return false;
    const waiting = await db
      .selectFrom("inbox")
      .selectAll()
      .where("session_key", "=", turn.sessionKey)
      .where("settled_at", "is", null)
      .where("state", "=", "waiting")
      .orderBy("seq")
      .execute();
    const claimed = await db.selectFrom("inbox").selectAll().where("turn_id", "=", turn.id).execute();
    const facts = { route: turn.source.route, inputs: claimed.map(inboxItemFromRow) };
    const policy = input.policy(sessionFromRow(session));
    const present = await presentInputs(context, beforeCommand(waiting.map(inboxItemFromRow)), policy.presentAccess);
    if (!interruptsTurn(present, facts, policy)) return false;
    const interrupted = await abortOpenTurn(context, turn.sessionKey, "interrupted");
    // A start makes a session due once, for the turn it takes up again: without this what waits behind it would wait on.
    if (interrupted) enqueue(turnTask(turn.sessionKey), turn.sessionKey);
    return interrupted;
  },
);
