import { removePart } from "../../../core/message/inbox-item.ts";
import { DELETION } from "../../../core/texts/store/outcomes.ts";
import { type EventRow, storeEvent } from "../../parts/event-row.ts";
import { dropReleaseTimer, findInput, rewriteInput } from "../../parts/inputs.ts";
import { changeWaiting } from "../../parts/pairing-ask.ts";
import { defineStep, type StepContext } from "../../store.ts";
import type { EditOutcome } from "./edit-event.ts";

/**
 * IN-11: a deletion before the claim withdraws the message from its input, and the input when nothing of it is left; later
 * it changes nothing. Rejects with `EventChanged` when this very deletion is stored already.
 */
export const withdrawEvent = defineStep(
  "withdraw-event",
  "full",
  async (context, input: { readonly row: EventRow; readonly target: string }): Promise<EditOutcome> => {
    const outcome = await withdraw(context, input);
    await storeEvent(context, { row: input.row, outcome: { ...outcome, inboxSeq: null }, expected: null });
    return outcome;
  },
);

async function withdraw(
  context: StepContext,
  { row, target: identity }: { readonly row: EventRow; readonly target: string },
): Promise<EditOutcome> {
  const { db, now } = context;
  const target = await findInput(context, identity);
  if (target === null) return { result: "ignored", rule: DELETION.unknown, sessionKey: null };
  const { sessionKey, item } = target;
  if (target.result === "kept") {
    await db.deleteFrom("pending_context").where("identity", "=", identity).execute();
    return { result: "merged", rule: DELETION.beforeAddressed, sessionKey };
  }
  if (target.result === "refused" && (await changeWaiting(context, row, { target: identity, text: null }))) {
    return { result: "ignored", rule: DELETION.beforeApproval, sessionKey };
  }
  const open = item !== null && (item.state === "held" || item.state === "waiting");
  if (!open || item.payload.kind !== "event") {
    return { result: "ignored", rule: DELETION.afterClaim, sessionKey };
  }
  const rest = removePart(item.payload, identity);
  if (rest !== null) {
    await rewriteInput(context, { ...item, payload: rest });
  } else {
    await db.updateTable("inbox").set({ state: "withdrawn", settled_at: now }).where("seq", "=", item.seq).execute();
    await dropReleaseTimer(db, item.key);
  }
  return { result: "merged", rule: DELETION.beforeTurn, sessionKey };
}
