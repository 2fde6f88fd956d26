import type { EventFacts } from "../../../core/message/inbound-event.ts";
import { EventChanged, type EventRow, type Expected } from "../../parts/event-row.ts";
import { rewriteInput } from "../../parts/inputs.ts";
import { inboxItemFromRow } from "../../rows.ts";
import { defineStep } from "../../store.ts";

export interface MergeFactsInput {
  readonly row: EventRow;
  readonly expected: NonNullable<Expected>;
  readonly facts: EventFacts;
  /** Attachments the first arrival did not have. */
  readonly added: EventFacts["attachments"];
}

/**
 * IN-2: a second arrival of an accepted message adds what was missing, as long as no turn has taken it; then it changes
 * nothing. Returns whether it did. Rejects with `EventChanged` when the row is not the expected one.
 */
export const mergeFacts = defineStep(
  "merge-facts",
  "full",
  async (context, input: MergeFactsInput): Promise<boolean> => {
    const { db, now } = context;
    const { identity } = input.row;
    const { inboxSeq, result } = input.expected;
    const updated = await db
      .updateTable("inbound_events")
      .set({ facts_json: JSON.stringify(input.facts) })
      .where("identity", "=", identity)
      .where("result", "=", result)
      .executeTakeFirst();
    if (updated.numUpdatedRows === 0n) throw new EventChanged(identity);
    const row = await db
      .selectFrom("inbox")
      .selectAll()
      .where("seq", "=", inboxSeq ?? -1)
      .where("state", "in", ["held", "waiting"])
      .executeTakeFirst();
    if (row === undefined || input.added.length === 0) return false;
    const item = inboxItemFromRow(row);
    if (item.payload.kind !== "event") return false;
    const { payload } = item;
    const gathering = payload.gathering ?? {
      album: null,
      debounce: false,
      until: now,
      attachments: [],
      parts: [{ identity, text: payload.text, ...(payload.quotes === undefined ? {} : { quotes: payload.quotes }) }],
    };
    const attachments = [...gathering.attachments, ...input.added.map((attachment) => ({ ...attachment, identity }))];
    await rewriteInput(context, { ...item, payload: { ...payload, gathering: { ...gathering, attachments } } });
    return true;
  },
);
