import { editPart } from "../../../core/message/inbox-item.ts";
import { EDIT, editOf } from "../../../core/texts/store/outcomes.ts";
import { type EventRow, storeEvent } from "../../parts/event-row.ts";
import { findInput, insertInput, rewriteInput } from "../../parts/inputs.ts";
import { changeWaiting } from "../../parts/pairing-ask.ts";
import { defineStep, type StepContext } from "../../store.ts";

export interface EditEventInput {
  /** The edit's own event. */
  readonly row: EventRow;
  /** The identity key of the message that was edited. */
  readonly target: string;
  readonly text: string;
  /** The line its session gets when a turn already took the message; null: later edits are ignored (IN-11). */
  readonly notice: string | null;
}

export interface EditOutcome {
  readonly result: "merged" | "kept" | "ignored";
  readonly rule: string;
  readonly sessionKey: string | null;
}

/**
 * IN-11: an edit before the claim replaces the text; equal text changes nothing; a later one is at most a notice; a command
 * is never run again. Rejects with `EventChanged` when this very edit is stored already.
 */
export const editEvent = defineStep(
  "edit-event",
  "full",
  async (context, input: EditEventInput): Promise<EditOutcome> => {
    const { row } = input;
    const outcome = await applyEdit(context, input);
    await storeEvent(context, { row, outcome: { ...outcome, inboxSeq: null }, expected: null });
    return outcome;
  },
);

async function applyEdit(context: StepContext, input: EditEventInput): Promise<EditOutcome> {
  const { db } = context;
  const target = await findInput(context, input.target);
  if (target === null) return { result: "ignored", rule: EDIT.unknown, sessionKey: null };
  const { sessionKey, item } = target;
  if (target.result === "kept") {
    await db.updateTable("pending_context").set({ text: input.text }).where("identity", "=", input.target).execute();
    return { result: "kept", rule: EDIT.beforeAddressed, sessionKey };
  }
  if (target.result === "command") return { result: "ignored", rule: EDIT.ofCommand, sessionKey };
  if (target.result === "refused" && (await changeWaiting(context, input.row, input))) {
    return { result: "ignored", rule: EDIT.beforeApproval, sessionKey };
  }
  if (item === null || item.payload.kind !== "event") {
    return { result: "ignored", rule: editOf(target.result), sessionKey };
  }
  if (item.state === "held" || item.state === "waiting") {
    const payload = editPart(item.payload, input.target, input.text);
    if (payload === null) return { result: "ignored", rule: EDIT.sameText, sessionKey };
    await rewriteInput(context, { ...item, payload });
    return { result: "merged", rule: EDIT.beforeTurn, sessionKey };
  }
  if (item.state === "withdrawn") return { result: "ignored", rule: EDIT.ofWithdrawn, sessionKey };
  if (input.notice === null) return { result: "ignored", rule: EDIT.ignored, sessionKey };
  if (item.payload.text === input.text) return { result: "ignored", rule: EDIT.sameText, sessionKey };
  await insertInput(context, {
    key: `edit:${input.row.identity}`,
    sessionKey: item.sessionKey,
    payload: { kind: "notice", text: input.notice, wakes: false },
    provenance: { kind: "system", source: "edit" },
    route: null,
    rights: { role: "user", sender: null, group: null },
    cause: input.row.identity,
  });
  return { result: "kept", rule: EDIT.notified, sessionKey };
}
