import { type ExpressionBuilder, type Kysely, sql } from "kysely";
import { type Activation, activationName, readActivation } from "../../core/activation.ts";
import type { EventFacts } from "../../core/event-facts.ts";
import type { AccountId, ChannelId } from "../../core/ids.ts";
import type { InboxPayload, InboxState } from "../../core/inbox-item.ts";
import type { SessionKey } from "../../core/session-key.ts";
import type { Schema } from "../schema.ts";
import { defineRead } from "../store.ts";

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

export interface AcceptFactsInput {
  readonly channel: ChannelId;
  readonly accountId: AccountId;
  readonly senderId: string;
  readonly peerId: string;
  /** `conversationKey` of the event's route. */
  readonly conversation: string;
  /** Identity keys: the event's own, and the message an edit or deletion is about. */
  readonly identities: readonly string[];
  readonly album: string | null;
  /** Only then looked up: people in DMs may be paired, groups may have moved, threads may know the bot. */
  readonly group: boolean;
  readonly inThread: boolean;
  /** The thread or topic the event stands in. */
  readonly threadId: string | null;
  readonly fromBot: boolean;
  /** Messages since then count towards the sender's rate (TN-19). */
  readonly rateSince: number;
  /** The platform's conversation id of the route. Only in threads it is asked what they are bound to. */
  readonly to: string;
  readonly threaded: boolean;
  /** A thread whose making began before this is not waited for. */
  readonly makingSince: number;
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

/** The names under which `account_state` remembers a conversation's other id. */
export const movedToName = (id: string): string => `moved-to/${id}`;
export const movedFromName = (id: string): string => `moved-from/${id}`;

const STARTED = ["accepted", "merged", "command"];

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

async function knownEvents(db: Kysely<Schema>, input: AcceptFactsInput): Promise<KnownEvent[]> {
  const rows = await db
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
    .select(["inbox.state", "inbox.payload_json"])
    .where((eb) =>
      input.album === null
        ? eb("event.identity", "in", input.identities)
        : eb.or([eb("event.identity", "in", input.identities), eb("event.album", "=", input.album)]),
    )
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

async function senderFacts(db: Kysely<Schema>, input: AcceptFactsInput) {
  const { channel, accountId, senderId } = input;
  const state = (eb: ExpressionBuilder<Schema, never>, name: string) =>
    eb
      .selectFrom("account_state")
      .select("value")
      .where("channel", "=", channel)
      .where("account_id", "=", accountId)
      .where("name", "=", name);
  const recent = (eb: ExpressionBuilder<Schema, never>) =>
    eb
      .selectFrom("inbound_events")
      .select((count) => count.fn.countAll<number>().as("n"))
      .where("sender_id", "=", senderId)
      .where("received_at", ">", input.rateSince)
      .where("channel", "=", channel)
      .where("account_id", "=", accountId);
  const row = await db
    .selectNoFrom((eb) => [
      letIn(eb, input).select("owner").as("paired_owner"),
      letIn(eb, input).select("listed").as("listed"),
      eb
        .selectFrom("paired_senders")
        .select((count) => count.fn.countAll<number>().as("n"))
        .where("owner", "=", sql.lit(1))
        .as("owners"),
      recent(eb).where("result", "=", "accepted").as("started"),
      recent(eb).where("rule", "like", "limits.perSender%").as("rate_refused"),
    ])
    .$if(input.group, (query) =>
      query.select((eb) => [
        state(eb, movedToName(input.peerId)).as("moved_to"),
        state(eb, movedFromName(input.peerId)).as("moved_from"),
        state(eb, activationName(input.peerId, null)).as("activation"),
        state(eb, activationName(input.peerId, input.threadId)).as("own_activation"),
      ]),
    )
    .$if(input.inThread, (query) =>
      query.select((eb) => [
        saidHere(eb, input).where("state", "=", sql.lit("sent")).as("sent_here"),
        // What is on its way counts: a follow-up may be faster than the platform.
        saidHere(eb, input)
          .where("state", "in", [sql.lit("pending"), sql.lit("sending")])
          .as("sending_here"),
      ]),
    )
    .$if(input.threaded, (query) =>
      query.select((eb) => [
        bound(eb, input).select("id").as("bound_id"),
        bound(eb, input).select("session_key").as("bound_session"),
        threadInTheMaking(eb, input).as("in_the_making"),
        heldBefore(eb, input).as("held_before"),
      ]),
    )
    .$if(input.fromBot, (query) => query.select((eb) => botTurns(eb, input).as("bot_turns")))
    .executeTakeFirstOrThrow();
  return {
    movedTo: row.moved_to ?? null,
    movedFrom: row.moved_from ?? null,
    paired: row.paired_owner !== null,
    pairedOwner: row.paired_owner === 1,
    listed: row.listed === 1,
    pairedOwners: Number(row.owners ?? 0),
    activation: readActivation(row.own_activation) ?? readActivation(row.activation),
    participated: row.sent_here != null || row.sending_here != null,
    botTurnsSinceHuman: Number(row.bot_turns ?? 0),
    started: Number(row.started ?? 0),
    rateRefused: Number(row.rate_refused ?? 0),
    bound:
      row.bound_id == null || row.bound_session == null
        ? null
        : { id: row.bound_id, sessionKey: row.bound_session as SessionKey },
    waitsForPlace: row.held_before != null || (row.in_the_making != null && row.bound_id == null),
  };
}

/** Callers add the state as literals: with parameters the planner cannot use the indexes of sent and of open deliveries. */
function saidHere(eb: ExpressionBuilder<Schema, never>, input: AcceptFactsInput) {
  return eb.selectFrom("deliveries").select("id").where("conversation", "=", input.conversation).limit(1);
}

function letIn(eb: ExpressionBuilder<Schema, never>, { channel, accountId, senderId }: AcceptFactsInput) {
  return eb
    .selectFrom("paired_senders")
    .where("channel", "=", channel)
    .where("account_id", "=", accountId)
    .where("sender_id", "=", senderId);
}

/** A message in an archived thread has opened it, whether the platform has said so yet or not (FC-146). */
function bound(eb: ExpressionBuilder<Schema, never>, input: AcceptFactsInput) {
  return eb
    .selectFrom("bindings")
    .where("conversation", "=", input.conversation)
    .where("ended_at", "is", null)
    .where((where) =>
      where.or([
        where("state", "=", "active"),
        where.and([where("state", "=", "paused"), where("reason", "=", "archived")]),
      ]),
    )
    .limit(1);
}

/** A request that makes a thread in this chat is under way, and nothing was ever heard from or said in this one (TB-1). */
function threadInTheMaking(eb: ExpressionBuilder<Schema, never>, input: AcceptFactsInput) {
  return eb
    .selectFrom("bindings")
    .innerJoin("deliveries", "deliveries.key", "bindings.delivery_key")
    .select("bindings.id")
    .where("bindings.to_id", "=", input.to)
    .where("bindings.channel", "=", input.channel)
    .where("bindings.account_id", "=", input.accountId)
    .where("bindings.ended_at", "is", null)
    .where("bindings.state", "=", "pending")
    .where("deliveries.claimed_at", ">", input.makingSince)
    .where((where) =>
      where.or([
        where("deliveries.state", "=", "sending"),
        where.and([where("deliveries.state", "=", "pending"), where("deliveries.attempts", ">", 0)]),
      ]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("inbound_events").select("identity").where("inbound_events.conversation", "=", input.conversation),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("deliveries as said")
            .select("said.id")
            .where("said.conversation", "=", input.conversation)
            .where("said.state", "=", sql.lit("sent")),
        ),
      ),
    )
    .limit(1);
}

/** Order is kept: what waits already is decided first. */
function heldBefore(eb: ExpressionBuilder<Schema, never>, input: AcceptFactsInput) {
  return eb.selectFrom("held_events").select("seq").where("conversation", "=", input.conversation).limit(1);
}

/** IN-4: this bot's messages here that started something, since a person's last one. */
function botTurns(eb: ExpressionBuilder<Schema, never>, input: AcceptFactsInput) {
  const lastHuman = eb
    .selectFrom("inbound_events as human")
    .select((max) => max.fn.max("human.received_at").as("at"))
    .where("human.conversation", "=", input.conversation)
    .where("human.from_bot", "=", 0)
    .where("human.result", "<>", "refused");
  return eb
    .selectFrom("inbound_events as bot")
    .select((count) => count.fn.countAll<number>().as("n"))
    .where("bot.conversation", "=", input.conversation)
    .where("bot.sender_id", "=", input.senderId)
    .where("bot.result", "in", STARTED)
    .where((where) => where("bot.received_at", ">", where.fn.coalesce(lastHuman, where.val(0))));
}
