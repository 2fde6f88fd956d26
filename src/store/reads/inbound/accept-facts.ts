import type { Kysely } from "kysely";
import type { EventFacts } from "../../../core/message/inbound-event.ts";
import type { InboxPayload, InboxState } from "../../../core/message/inbox-item.ts";
import type { Activation } from "../../../core/session/place-values.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import type { Schema } from "../../schema.ts";
import { defineStatement } from "../../statement.ts";
import { defineRead } from "../../store.ts";
import { type SenderFactsInput, senderFacts } from "./sender-facts.ts";

/** What is stored of an event that arrived before. */
export interface KnownEvent {
  readonly identity: string;
  readonly result: string;
  readonly rule: string;
  readonly sessionKey: SessionKey | null;
  readonly inboxSeq: number | null;
  readonly facts: EventFacts;
  /** The input it became or joined. */
  readonly item: { readonly state: InboxState; readonly payload: InboxPayload } | null;
}

export interface AcceptFactsInput extends SenderFactsInput {
  /** Identity keys: the event's own, and the message an edit or deletion is about. */
  readonly identities: readonly string[];
  readonly album: string | null;
}

export interface AcceptFacts {
  readonly known: ReadonlyMap<string, KnownEvent>;
  readonly album: readonly KnownEvent[];
  /** The id the conversation has now, and the one it had before (SK-9). */
  readonly movedTo: string | null;
  readonly movedFrom: string | null;
  readonly paired: boolean;
  readonly pairedOwner: boolean;
  readonly listed: boolean;
  /** On the stored list of the group or channel (CM-14). */
  readonly listedHere: boolean;
  readonly pairedOwners: number;
  /** What `/activation` says here: the thread's own, else that of the group or channel around it (CM-13). */
  readonly activation: Activation | null;
  readonly participated: boolean;
  readonly botTurnsSinceHuman: number;
  readonly started: number;
  readonly rateRefused: number;
  /** What the conversation is bound to (TB-3). */
  readonly bound: { readonly id: string; readonly sessionKey: SessionKey } | null;
  /** It may be a thread that is being made for a sub-agent just now, or earlier messages of it still wait (TB-1). */
  readonly waitsForPlace: boolean;
}

/** Everything the decision about one event needs from the store, in two statements. */
export const acceptFacts = defineRead("accept-facts", async (db, input: AcceptFactsInput): Promise<AcceptFacts> => {
  const events = await knownEvents(db, input);
  const facts = await senderFacts(db, input);
  const own = new Set(input.identities);
  return {
    known: new Map(events.filter((event) => own.has(event.identity)).map((event) => [event.identity, event])),
    album: events.filter((event) => !own.has(event.identity)),
    ...facts,
  };
});

const byIdentity = defineStatement((db, p: { readonly identity: string }) =>
  storedEvents(db).where("event.identity", "=", p.identity),
);

function storedEvents(db: Kysely<Schema>) {
  return db
    .selectFrom("inbound_events as event")
    .leftJoin("inbox", "inbox.seq", "event.inbox_seq")
    .select([
      "event.identity",
      "event.result",
      "event.rule",
      "event.session_key",
      "event.inbox_seq",
      "event.facts_json",
    ])
    .select(["inbox.state", "inbox.payload_json"]);
}

async function knownEvents(db: Kysely<Schema>, { identities, album }: AcceptFactsInput): Promise<KnownEvent[]> {
  const [identity, another] = identities;
  const rows =
    identity !== undefined && another === undefined && album === null
      ? await byIdentity.all(db, { identity })
      : await storedEvents(db)
          .where((eb) => {
            const own = eb("event.identity", "in", identities);
            return album === null ? own : eb.or([own, eb("event.album", "=", album)]);
          })
          .execute();
  return rows.map((row) => ({
    identity: row.identity,
    result: row.result,
    rule: row.rule,
    sessionKey: row.session_key as SessionKey | null,
    inboxSeq: row.inbox_seq,
    facts: JSON.parse(row.facts_json) as EventFacts,
    item:
      row.state === null || row.payload_json === null
        ? null
        : { state: row.state as InboxState, payload: JSON.parse(row.payload_json) as InboxPayload },
  }));
}
