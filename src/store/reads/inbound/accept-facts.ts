import { type Kysely, sql } from "kysely";
import { conversationKey, type Route } from "../../../core/delivery/delivery.ts";
import type { AccountId, ChannelId } from "../../../core/ids.ts";
import type { EventFacts } from "../../../core/message/inbound-event.ts";
import type { InboxPayload, InboxState } from "../../../core/message/inbox-item.ts";
import type { Activation } from "../../../core/session/session.ts";
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
  readonly commands: number;
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

/** A typed command that names no bot, as one account heard it in a place where others of ours may have heard it too (CM-17). */
export interface SharedCommand {
  readonly route: Route;
  readonly senderId: string;
  /** The other accounts of the channel. */
  readonly others: readonly AccountId[];
  /** The message's address at the platform, the same for every bot; null: the platform has none that is. */
  readonly link: string | null;
  /** The message it is a reply to. */
  readonly replyTo: string | null;
}

/**
 * The other account that such a command is for; null: this one may run it. It is for the account that already runs it, else
 * the one whose message it replies to, else the one whose sub-agent is linked here, else the one its sender spoke to last.
 */
export const whoseCommand = defineRead(
  "whose-command",
  async (db, command: SharedCommand): Promise<AccountId | null> => {
    const { route, others, replyTo } = command;
    const taken = await takenBy(db, { ...command, channel: route.channel });
    if (taken !== null) return taken;
    const places = new Map(others.map((accountId) => [conversationKey({ ...route, accountId }), accountId]));
    const theirs = [...places.keys()];
    if (replyTo !== null) {
      const sent = await db
        .selectFrom("deliveries")
        .select("conversation")
        .where("conversation", "in", theirs)
        .where("state", "=", sql.lit("sent"))
        .where("message_ids_json", "like", `%${JSON.stringify(replyTo)}%`)
        .executeTakeFirst();
      if (sent !== undefined) return places.get(sent.conversation) ?? null;
    }
    const own = conversationKey(route);
    const bound = await db
      .selectFrom("bindings")
      .select("conversation")
      .where("conversation", "in", [own, ...theirs])
      .where("ended_at", "is", null)
      .execute();
    if (bound.some(({ conversation }) => conversation === own)) return null;
    const [binding] = bound;
    if (binding !== undefined) return places.get(binding.conversation ?? "") ?? null;
    // What a thread hangs on stands in the conversation around it, and began the talk in it.
    const around = [route.accountId, ...others].map((accountId) =>
      conversationKey({ ...route, accountId, threadId: null }),
    );
    const spoken = await db
      .selectFrom("inbound_events")
      .select(["account_id", (eb) => eb.fn.max("received_at").as("last")])
      .select((eb) => eb.fn.max("received_at").filterWhere("sender_id", "=", command.senderId).as("with_sender"))
      .where((eb) =>
        eb.or([
          eb("conversation", "in", [own, ...theirs]),
          eb.and([eb("message_id", "=", route.threadId ?? ""), eb("conversation", "in", around)]),
        ]),
      )
      .where("result", "in", ["accepted", "merged", "command"])
      .groupBy("account_id")
      .execute();
    const bySender = spoken.some((row) => row.with_sender !== null);
    const latest = spoken
      .map((row) => ({ account: row.account_id, at: Number((bySender ? row.with_sender : row.last) ?? 0) }))
      .toSorted((a, b) => b.at - a.at || (a.account < b.account ? -1 : 1))
      .at(0);
    return latest === undefined || latest.account === route.accountId ? null : latest.account;
  },
);

/** The account that already runs a message as a command. */
export async function takenBy(
  db: Kysely<Schema>,
  at: Pick<SharedCommand, "link" | "others"> & { readonly channel: ChannelId },
): Promise<AccountId | null> {
  if (at.link === null || at.others.length === 0) return null;
  const row = await db
    .selectFrom("inbound_events")
    .select("account_id")
    .where("link", "=", at.link)
    .where("channel", "=", at.channel)
    .where("account_id", "in", at.others)
    .where("result", "=", "command")
    .executeTakeFirst();
  return row?.account_id ?? null;
}
