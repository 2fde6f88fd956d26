import type { InboxItem } from "../../core/message/inbox-item.ts";
import { inboxItemFromRow } from "../rows.ts";
import type { StepContext } from "../store.ts";

export interface StoredEvent {
  readonly result: string;
  readonly sessionKey: string | null;
  /** The input it became or joined. */
  readonly item: InboxItem | null;
}

/** Part of a step: an event by its identity key, with its input. null: it never came. */
export async function findInput({ db }: StepContext, identity: string): Promise<StoredEvent | null> {
  const event = await db
    .selectFrom("inbound_events")
    .select(["result", "session_key", "inbox_seq"])
    .where("identity", "=", identity)
    .executeTakeFirst();
  if (event === undefined) return null;
  const row =
    event.inbox_seq === null
      ? undefined
      : await db.selectFrom("inbox").selectAll().where("seq", "=", event.inbox_seq).executeTakeFirst();
  return {
    result: event.result,
    sessionKey: event.session_key,
    item: row === undefined ? null : inboxItemFromRow(row),
  };
}
