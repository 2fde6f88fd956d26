import type { SessionKey } from "../../core/session-key.ts";
import { defineRead, type Store } from "../store.ts";

/** What became of one message, and by which rule (IN-17, `/why`). */
export interface EventStory {
  readonly identity: string;
  readonly link: string | null;
  readonly result: string;
  readonly rule: string;
  readonly sessionKey: SessionKey | null;
  /** The state of the input it became or joined, and the turn that took it. */
  readonly inputState: string | null;
  readonly turnId: string | null;
  /** How that turn ended; null: it has not, or no turn took it. */
  readonly turnOutcome: string | null;
  readonly receivedAt: number;
}

/** Every stored event of a message, its edits and deletion too, oldest first; by link, or by identity key. */
export const findEvent = defineRead("find-event", async (db, reference: string): Promise<readonly EventStory[]> => {
  const rows = await db
    .selectFrom("inbound_events as event")
    .leftJoin("inbox", "inbox.seq", "event.inbox_seq")
    .leftJoin("turns", "turns.id", "inbox.turn_id")
    .select(["event.identity", "event.link", "event.result", "event.rule", "event.session_key", "event.received_at"])
    .select(["inbox.state", "inbox.turn_id", "turns.outcome"])
    .where((eb) => eb.or([eb("event.identity", "=", reference), eb("event.link", "=", reference)]))
    .orderBy("event.received_at")
    .execute();
  return rows.map((row) => ({
    identity: row.identity,
    link: row.link,
    result: row.result,
    rule: row.rule,
    sessionKey: row.session_key as SessionKey | null,
    inputState: row.state,
    turnId: row.turn_id,
    turnOutcome: row.outcome,
    receivedAt: row.received_at,
  }));
});

/** {@link findEvent} for a reference as people paste it (IN-17): the first reading of it that names a stored event; empty when none does. */
export async function findMessage(store: Pick<Store, "read">, written: string): Promise<readonly EventStory[]> {
  for (const reference of references(written)) {
    const events = await store.read(findEvent, reference);
    if (events.length > 0) return events;
  }
  return [];
}

/** A link as people paste it: in angle brackets, with a query, or to a page of Switchyard's own host. */
function references(written: string): readonly string[] {
  const plain = written.replace(/^<(.*)>$/, "$1");
  if (!URL.canParse(plain)) return [plain];
  const url = new URL(plain);
  return [...new Set([plain, `${url.origin}${url.pathname}`, `${url.pathname}${url.hash}`])];
}
