import type { InboxItem } from "../../../core/message/inbox-item.ts";
import { turnTask } from "../../../core/message/turn-inputs.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { INPUT_PARKED } from "../../../core/texts/chat/completion-text.ts";
import { INPUT_FAILED, inputParked } from "../../../core/texts/store/outcomes.ts";
import { settleDropped } from "../../parts/close-turn.ts";
import { endRun } from "../../parts/end-run.ts";
import { insertDeliveries } from "../../parts/outbox.ts";
import { insertFailure } from "../../parts/record-failure.ts";
import type { ToMessage } from "../../parts/transcript.ts";
import { inboxItemFromRow, runFromRow } from "../../rows.ts";
import { defineStep, type StepContext } from "../../store.ts";

export interface ParkInputsInput {
  readonly sessionKey: SessionKey;
  readonly toMessage: ToMessage;
  /** Why no turn begins. */
  readonly reason: string;
}

/**
 * TN-20: no turn could begin with what waits for a session, three times. The inputs that cannot be read are set aside, or when each can be
 * read by itself the oldest one; people and operator are told, and the next turn begins without them.
 */
export const parkInputs = defineStep(
  "park-inputs",
  "normal",
  async (context, { sessionKey, toMessage, reason }: ParkInputsInput): Promise<readonly InboxItem[]> => {
    const rows = await context.db
      .selectFrom("inbox")
      .selectAll()
      .where("session_key", "=", sessionKey)
      .where("settled_at", "is", null)
      .where("state", "=", "waiting")
      .where("kind", "<>", "command")
      .orderBy("seq")
      .execute();
    const waiting = rows.map(inboxItemFromRow);
    const unreadable = waiting.filter((item) => !isReadable(item, toMessage));
    const parked = unreadable.length > 0 ? unreadable : waiting.slice(0, 1);
    for (const item of parked) await park(context, item, reason);
    await settleDropped(context, parked, INPUT_FAILED);
    if (parked.length < waiting.length) context.enqueue(turnTask(sessionKey), sessionKey);
    return parked;
  },
);

function isReadable(item: InboxItem, toMessage: ToMessage): boolean {
  try {
    toMessage(item);
    return true;
  } catch {
    return false;
  }
}

async function park(context: StepContext, item: InboxItem, reason: string): Promise<void> {
  const { db, now } = context;
  const { seq, key, sessionKey, route, payload, runId } = item;
  await db.updateTable("inbox").set({ state: "withdrawn", settled_at: now }).where("seq", "=", seq).execute();
  await db
    .updateTable("inbound_events")
    .set({ result: "parked", rule: inputParked(reason) })
    .where("inbox_seq", "=", seq)
    .execute();
  await insertFailure(context, { kind: "inbound", subject: key, sessionKey, message: inputParked(reason) });
  if (payload.kind === "event" && route !== null) {
    const content = { kind: "message", piece: INPUT_PARKED, replyTo: payload.messageId, private: false } as const;
    const deliveries = [{ key: `parked:${seq}`, route, content }];
    await insertDeliveries(context, { deliveries, sessionKey, turnId: null, runId: null });
  }
  if (payload.kind !== "task" || runId === null) return;
  const run = await db
    .selectFrom("runs")
    .selectAll()
    .where("id", "=", runId)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  if (run === undefined) return;
  const end = { outcome: "error", result: null, error: INPUT_FAILED, silent: false, archiveAfterMs: null } as const;
  await endRun(context, runFromRow(run), end);
}
