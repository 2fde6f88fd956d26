import type { NewMessage } from "../../../core/message/transcript.ts";
import { beforeCommand, chooseSteering, type MergePolicy } from "../../../core/message/turn-inputs.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import type { TurnFence } from "../../../core/session/turn.ts";
import { presentInputs } from "../../parts/present-inputs.ts";
import { passFence } from "../../parts/sessions.ts";
import { claimInputs, insertMessages, type ToMessage } from "../../parts/transcript.ts";
import { inboxItemFromRow, sessionFromRow, turnFromRow } from "../../rows.ts";
import { defineStep } from "../../store.ts";

export interface SteerInInput extends TurnFence {
  readonly sessionKey: SessionKey;
  readonly policy: MergePolicy;
  readonly toMessage: ToMessage;
  /** Results of the calls that are skipped because something was steered in; stored before the new messages. */
  readonly skipped: readonly NewMessage[];
}

/** At a boundary of a running turn: what may be steered in becomes part of it (TN-3, CP-3). Empty: nothing waits that may. */
export const steerIn = defineStep(
  "steer-in",
  "normal",
  async (context, input: SteerInInput): Promise<readonly NewMessage[]> => {
    const { db } = context;
    const rows = await db
      .selectFrom("inbox")
      .selectAll()
      .where("session_key", "=", input.sessionKey)
      .where("settled_at", "is", null)
      .where("state", "=", "waiting")
      .orderBy("seq")
      .execute();
    const waiting = await presentInputs(context, beforeCommand(rows.map(inboxItemFromRow)), input.policy.presentAccess);
    if (waiting.length === 0) return [];
    const open = await db.selectFrom("turns").selectAll().where("id", "=", input.turnId).executeTakeFirst();
    const items = open === undefined ? [] : chooseSteering(waiting, turnFromRow(open).source, input.policy);
    // Only what is stored counts as a step of the turn: a look must not make a turn that gets nowhere begin for ever (TN-2).
    if (items.length === 0) return [];
    const turn = await passFence(context, input);
    const session = await db
      .selectFrom("sessions")
      .selectAll()
      .where("key", "=", input.sessionKey)
      .executeTakeFirstOrThrow();
    await insertMessages(
      context,
      { sessionId: turn.sessionId, sessionKey: turn.sessionKey, turnId: turn.id },
      input.skipped,
    );
    return claimInputs(context, { turn, session: sessionFromRow(session), toMessage: input.toMessage, items });
  },
);
