import type { Selectable } from "kysely";
import { StoreError } from "../../core/errors.ts";
import type { AccountId, ChannelId } from "../../core/ids.ts";
import type { AcceptResult, EventFacts } from "../../core/message/inbound-event.ts";
import { defineStatement } from "../statement.ts";
import type { StepContext } from "../store.ts";
import type { InboundEventsTable } from "../tables/work.ts";

/** The stored trace of one platform event (IN-2, IN-17). */
export interface EventRow {
  /** Its identity key. */
  readonly identity: string;
  readonly channel: ChannelId;
  readonly accountId: AccountId;
  /** `conversationKey` of its route. */
  readonly conversation: string;
  readonly messageId: string;
  readonly senderId: string;
  readonly fromBot: boolean;
  readonly facts: EventFacts;
  /** The album's key within its conversation. */
  readonly album: string | null;
  readonly link: string | null;
}

/** What a decision about an event rested on: the row read before it, or that there was none. */
export type Expected = { readonly result: string; readonly inboxSeq: number | null } | null;

export interface EventOutcome {
  readonly result: AcceptResult["result"] | "parked";
  readonly rule: string;
  readonly sessionKey: string | null;
  readonly inboxSeq: number | null;
}

/** The row is not what the decision rested on: another arrival was stored meanwhile. The event is decided again. */
export class EventChanged extends StoreError {
  constructor(identity: string) {
    super("event_changed", `event ${identity} was stored by another arrival meanwhile`, { retryable: true });
  }
}

const insertRow = defineStatement((db, p: Selectable<InboundEventsTable>) =>
  db
    .insertInto("inbound_events")
    .values(p)
    .onConflict((conflict) => conflict.column("identity").doNothing()),
);

/**
 * Part of a step: writes the result of an event, once per identity. Throws `EventChanged`, and so takes the whole step
 * back, when the row is not the expected one: the seen mark and its effects are one commit (FC-130).
 */
export async function storeEvent(
  { db, now }: StepContext,
  input: { readonly row: EventRow; readonly outcome: EventOutcome; readonly expected: Expected },
): Promise<void> {
  const { row, outcome, expected } = input;
  const decided = {
    result: outcome.result,
    rule: outcome.rule,
    session_key: outcome.sessionKey,
    inbox_seq: outcome.inboxSeq,
    facts_json: JSON.stringify(row.facts),
  };
  if (expected !== null) {
    const updated = await db
      .updateTable("inbound_events")
      .set(decided)
      .where("identity", "=", row.identity)
      .where("result", "=", expected.result)
      .where("inbox_seq", expected.inboxSeq === null ? "is" : "=", expected.inboxSeq)
      .executeTakeFirst();
    if (updated.numUpdatedRows === 0n) throw new EventChanged(row.identity);
    return;
  }
  const inserted = await insertRow.run(db, {
    ...decided,
    identity: row.identity,
    channel: row.channel,
    account_id: row.accountId,
    conversation: row.conversation,
    message_id: row.messageId,
    sender_id: row.senderId,
    from_bot: row.fromBot ? 1 : 0,
    album: row.album,
    link: row.link,
    received_at: now,
  });
  if (inserted === 0) throw new EventChanged(row.identity);
}
