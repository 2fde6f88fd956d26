import { type Kysely, sql } from "kysely";
import type { AccountId, ChannelId } from "../../../core/ids.ts";
import { activationName, placeSenderName, readActivation } from "../../../core/session/session.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { COUNTS_AS_MESSAGE, PER_SENDER } from "../../../core/texts/rules.ts";
import type { Schema } from "../../schema.ts";
import { defineStatement } from "../../statement.ts";

/** Who wrote, and where: what the look-up is made from. */
export interface SenderFactsInput {
  readonly channel: ChannelId;
  readonly accountId: AccountId;
  readonly senderId: string;
  readonly peerId: string;
  /** `conversationKey` of the event's route. */
  readonly conversation: string;
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

/** The names under which `account_state` remembers a conversation's other id. */
export const movedToName = (id: string): string => `moved-to/${id}`;
export const movedFromName = (id: string): string => `moved-from/${id}`;

/** A command that starts model work says so in its rule (FC-403). */
const AS_MESSAGE = sql.lit(`%; ${COUNTS_AS_MESSAGE}`);

const STARTED = ["accepted", "merged", "command"];

/** In what the look-up differs from event to event. */
type Form = Pick<SenderFactsInput, "group" | "inThread" | "threaded" | "fromBot">;

const FLAGS = ["group", "inThread", "threaded", "fromBot"] as const satisfies readonly (keyof Form)[];

/** One statement for each form: building this one takes longer than all else the way in does. */
const FORMS = Array.from({ length: 2 ** FLAGS.length }, (_, bits) => {
  const [group = false, inThread = false, threaded = false, fromBot = false] = FLAGS.map(
    (_flag, at) => (bits & (1 << at)) !== 0,
  );
  return senderStatement({ group, inThread, threaded, fromBot });
});

type SenderValues = Pick<
  SenderFactsInput,
  "channel" | "accountId" | "senderId" | "conversation" | "to" | "rateSince" | "makingSince"
> & {
  readonly movedTo: string;
  readonly movedFrom: string;
  readonly activation: string;
  readonly ownActivation: string;
  readonly placeSender: string;
};

/** What the store knows of the sender and the place of an event, in one statement. */
export async function senderFacts(db: Kysely<Schema>, input: SenderFactsInput) {
  const { channel, accountId, senderId, conversation, to, rateSince, makingSince, peerId } = input;
  const form = FORMS[FLAGS.reduce((bits, flag, at) => bits | (input[flag] ? 1 << at : 0), 0)] ?? senderStatement(input);
  const row = await form.first(db, {
    ...{ channel, accountId, senderId, conversation, to, rateSince, makingSince },
    movedTo: movedToName(peerId),
    movedFrom: movedFromName(peerId),
    activation: activationName(peerId, null),
    ownActivation: activationName(peerId, input.threadId),
    placeSender: placeSenderName(peerId, senderId),
  });
  if (row === undefined) throw new Error("a count gives one row");
  return {
    movedTo: row.moved_to ?? null,
    movedFrom: row.moved_from ?? null,
    paired: row.paired_owner !== null,
    pairedOwner: row.paired_owner === 1,
    listed: row.listed === 1,
    listedHere: row.listed_here != null,
    pairedOwners: Number(row.owners ?? 0),
    activation: readActivation(row.own_activation) ?? readActivation(row.activation),
    participated: row.sent_here != null || row.sending_here != null || row.asked_here != null,
    botTurnsSinceHuman: Number(row.bot_turns ?? 0),
    started: Number(row.started),
    commands: Number(row.commands),
    rateRefused: Number(row.rate_refused),
    bound:
      row.bound_id == null || row.bound_session == null
        ? null
        : { id: row.bound_id, sessionKey: row.bound_session as SessionKey },
    waitsForPlace: row.held_before != null || (row.in_the_making != null && row.bound_id == null),
  };
}

function senderStatement(form: Form) {
  return defineStatement((db, p: SenderValues) => senderQuery(db, p, form));
}

function senderQuery(db: Kysely<Schema>, p: SenderValues, form: Form) {
  const { channel, accountId, senderId } = p;
  const state = (name: string) =>
    db
      .selectFrom("account_state")
      .select("value")
      .where("channel", "=", channel)
      .where("account_id", "=", accountId)
      .where("name", "=", name);
  const recent = db
    .selectFrom("inbound_events")
    .select((eb) => [
      eb.fn
        .countAll<number>()
        .filterWhere((each) => each.or([each("result", "=", sql.lit("accepted")), each("rule", "like", AS_MESSAGE)]))
        .as("started"),
      eb.fn
        .countAll<number>()
        .filterWhere((each) =>
          each.and([each("result", "=", sql.lit("command")), each("rule", "not like", AS_MESSAGE)]),
        )
        .as("commands"),
      eb.fn
        .countAll<number>()
        .filterWhere("rule", "like", sql.lit(`${PER_SENDER}%`))
        .as("rate_refused"),
    ])
    .where("sender_id", "=", senderId)
    .where("received_at", ">", p.rateSince)
    .where("channel", "=", channel)
    .where("account_id", "=", accountId)
    .as("recent");
  return db
    .selectFrom(recent)
    .select(["recent.started", "recent.commands", "recent.rate_refused"])
    .select([
      letIn(db, p).select("owner").as("paired_owner"),
      letIn(db, p).select("listed").as("listed"),
      db
        .selectFrom("paired_senders")
        .select((count) => count.fn.countAll<number>().as("n"))
        .where("owner", "=", sql.lit(1))
        .as("owners"),
    ])
    .$if(form.group, (query) =>
      query.select([
        state(p.movedTo).as("moved_to"),
        state(p.movedFrom).as("moved_from"),
        state(p.activation).as("activation"),
        state(p.ownActivation).as("own_activation"),
        state(p.placeSender).as("listed_here"),
      ]),
    )
    .$if(form.inThread, (query) =>
      query.select([
        saidHere(db, p).where("state", "=", sql.lit("sent")).as("sent_here"),
        // What is on its way counts: a follow-up may be faster than the platform.
        saidHere(db, p)
          .where("state", "in", [sql.lit("pending"), sql.lit("sending")])
          .as("sending_here"),
        askedHere(db, p).as("asked_here"),
      ]),
    )
    .$if(form.threaded, (query) =>
      query.select([
        bound(db, p).select("id").as("bound_id"),
        bound(db, p).select("session_key").as("bound_session"),
        threadInTheMaking(db, p).as("in_the_making"),
        heldBefore(db, p).as("held_before"),
      ]),
    )
    .$if(form.fromBot, (query) => query.select(botTurns(db, p).as("bot_turns")));
}

function letIn(db: Kysely<Schema>, { channel, accountId, senderId }: SenderValues) {
  return db
    .selectFrom("paired_senders")
    .where("channel", "=", channel)
    .where("account_id", "=", accountId)
    .where("sender_id", "=", senderId);
}

/** Callers add the state as literals: with parameters the planner cannot use the indexes of sent and of open deliveries. */
function saidHere(db: Kysely<Schema>, p: SenderValues) {
  return db.selectFrom("deliveries").select("id").where("conversation", "=", p.conversation).limit(1);
}

/** What is asked here is being answered, or waits for that: the answer is on its way before any of it is written (IN-7). */
function askedHere(db: Kysely<Schema>, p: SenderValues) {
  return db
    .selectFrom("inbox")
    .select("seq")
    .where("conversation", "=", p.conversation)
    .where("settled_at", "is", null)
    .limit(1);
}

/** A message in an archived thread has opened it, whether the platform has said so yet or not (FC-146). */
function bound(db: Kysely<Schema>, p: SenderValues) {
  return db
    .selectFrom("bindings")
    .where("conversation", "=", p.conversation)
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
function threadInTheMaking(db: Kysely<Schema>, p: SenderValues) {
  return db
    .selectFrom("bindings")
    .innerJoin("deliveries", "deliveries.key", "bindings.delivery_key")
    .select("bindings.id")
    .where("bindings.to_id", "=", p.to)
    .where("bindings.channel", "=", p.channel)
    .where("bindings.account_id", "=", p.accountId)
    .where("bindings.ended_at", "is", null)
    .where("bindings.state", "=", "pending")
    .where("deliveries.claimed_at", ">", p.makingSince)
    .where((where) =>
      where.or([
        where("deliveries.state", "=", "sending"),
        where.and([where("deliveries.state", "=", "pending"), where("deliveries.attempts", ">", 0)]),
      ]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("inbound_events").select("identity").where("inbound_events.conversation", "=", p.conversation),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("deliveries as said")
            .select("said.id")
            .where("said.conversation", "=", p.conversation)
            .where("said.state", "=", sql.lit("sent")),
        ),
      ),
    )
    .limit(1);
}

/** Order is kept: what waits already is decided first. */
function heldBefore(db: Kysely<Schema>, p: SenderValues) {
  return db.selectFrom("held_events").select("seq").where("conversation", "=", p.conversation).limit(1);
}

/** IN-4: this bot's messages here that started something, since a person's last one. */
function botTurns(db: Kysely<Schema>, p: SenderValues) {
  const lastHuman = db
    .selectFrom("inbound_events as human")
    .select((max) => max.fn.max("human.received_at").as("at"))
    .where("human.conversation", "=", p.conversation)
    .where("human.from_bot", "=", 0)
    .where("human.result", "<>", "refused");
  return db
    .selectFrom("inbound_events as bot")
    .select((count) => count.fn.countAll<number>().as("n"))
    .where("bot.conversation", "=", p.conversation)
    .where("bot.sender_id", "=", p.senderId)
    .where("bot.result", "in", STARTED)
    .where((where) => where("bot.received_at", ">", where.fn.coalesce(lastHuman, where.val(0))));
}
