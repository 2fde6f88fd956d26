import type { Kysely, Selectable } from "kysely";
import type { DeliveryState } from "../../../core/delivery/delivery.ts";
import { placeOfKey, type Route } from "../../../core/delivery/delivery.ts";
import { type InboundEvent, identityKey } from "../../../core/message/inbound-event.ts";
import type { InboxItem } from "../../../core/message/inbox-item.ts";
import type { ChainUse } from "../../../core/session/chain.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { THREAD_IN_THE_MAKING } from "../../../core/texts/store/outcomes.ts";
import { deliveryFromRow, inboxItemFromRow } from "../../rows.ts";
import type { Schema } from "../../schema.ts";
import { defineRead } from "../../store.ts";
import type { InboundEventsTable } from "../../tables/work.ts";
import { inConversation, type NamedPlace } from "../delivery/deliveries.ts";
import { usedBy } from "../runs/chains.ts";
import { type TracedRun, tracedRun } from "./delivery.ts";
import {
  type TracedInput,
  type TracedTurn,
  tracedInput,
  tracedTurn,
  type Waiting,
  waitingOf,
  withdrawnBy,
} from "./inputs.ts";

/** A message that was sent because of the event. No text. */
export interface TracedAnswer {
  readonly id: number;
  readonly state: DeliveryState;
  readonly messageIds: readonly string[];
  readonly route: Route;
  readonly attempts: number;
  readonly reason: string | null;
}

/** The outcome of one platform event, and the rule behind it (IN-17). */
export interface EventTrace {
  readonly kind: "event";
  readonly identity: string;
  /** `message`, `command`, `edit`, `delete` … */
  readonly what: string;
  readonly link: string | null;
  readonly messageId: string;
  readonly place: Route;
  readonly senderId: string;
  readonly receivedAt: number;
  readonly result: string;
  readonly rule: string;
  readonly sessionKey: SessionKey | null;
  /** `waiting`: it is shown with the next addressed message; `gone`: it was shown with one, or newer ones took its place. */
  readonly context: "waiting" | "gone" | null;
  readonly input: TracedInput | null;
  /** What an input that no turn has taken waits for. */
  readonly waits: Waiting | null;
  /** The command that took the input back before a turn had it; null: none, or it is not known. */
  readonly withdrawnBy: string | null;
  readonly turn: TracedTurn | null;
  /** It came while the turn ran, and was shown to it. */
  readonly isSteered: boolean;
  /** Other inputs of the same turn. */
  readonly together: number;
  readonly answers: readonly TracedAnswer[];
  /** Sub-agents the turn started, with what happened to their results. */
  readonly subagents: readonly { readonly run: TracedRun; readonly answers: readonly TracedAnswer[] }[];
  /** What the turn set off between agents (ST-28); null: nothing. */
  readonly chain: ChainUse | null;
}

/** Which stored events are meant: by the platform's id of the message, or by an identity key or link as it was stored. */
export type EventQuery =
  | { readonly by: "reference"; readonly reference: string }
  | {
      readonly by: "message";
      readonly messageId: string;
      readonly channel: string | null;
      /** Null: any. */
      readonly accountId: string | null;
      /** Null: any. */
      readonly place: NamedPlace | null;
    };

/** Every stored event that is meant, edits and deletions too, oldest first; at most `limit`. */
export const traceEvents = defineRead(
  "trace-events",
  async (db, { limit, ...query }: EventQuery & { readonly limit: number }): Promise<readonly EventTrace[]> => {
    const rows = await storedEvents(db, query, limit);
    const traces: EventTrace[] = [];
    for (const row of rows) traces.push(await traceOf(db, row));
    return [...traces, ...(await heldEvents(db, query))];
  },
);

async function storedEvents(
  db: Kysely<Schema>,
  query: EventQuery,
  limit: number,
): Promise<readonly Selectable<InboundEventsTable>[]> {
  const events = db.selectFrom("inbound_events").selectAll().orderBy("received_at").limit(limit);
  if (query.by === "reference") {
    const { reference } = query;
    return events.where((eb) => eb.or([eb("identity", "=", reference), eb("link", "=", reference)])).execute();
  }
  let found = events.where("message_id", "=", query.messageId);
  if (query.channel !== null) found = found.where("channel", "=", query.channel);
  if (query.accountId !== null) found = found.where("account_id", "=", query.accountId);
  if (query.place !== null) found = found.where(inConversation(query.place));
  return found.execute();
}

async function traceOf(db: Kysely<Schema>, row: Selectable<InboundEventsTable>): Promise<EventTrace> {
  const item = row.inbox_seq === null ? null : await itemOf(db, row.inbox_seq);
  const turn = item?.turnId == null ? null : await tracedTurn(db, item.turnId);
  return {
    kind: "event",
    identity: row.identity,
    what: row.identity.split("/")[4] ?? "message",
    link: row.link,
    messageId: row.message_id,
    place: placeOfKey(row.conversation),
    senderId: row.sender_id,
    receivedAt: row.received_at,
    result: row.result,
    rule: row.rule,
    sessionKey: row.session_key as SessionKey | null,
    context: row.result === "kept" ? await contextOf(db, row.identity) : null,
    input: item === null ? null : await tracedInput(db, item),
    waits: item === null ? null : await waitingOf(db, item),
    withdrawnBy: item?.state === "withdrawn" ? await withdrawnBy(db, item) : null,
    turn,
    isSteered: item !== null && turn !== null && item.createdAt > turn.startedAt,
    together: turn === null ? 0 : (await inputsOf(db, turn.id)) - 1,
    answers: await answersOf(db, { row, item, turn }),
    subagents: turn === null ? [] : await subagentsOf(db, turn),
    chain: turn === null ? null : await usedBy(db, turn.id),
  };
}

async function itemOf(db: Kysely<Schema>, seq: number): Promise<InboxItem | null> {
  const row = await db.selectFrom("inbox").selectAll().where("seq", "=", seq).executeTakeFirst();
  return row === undefined ? null : inboxItemFromRow(row);
}

async function contextOf(db: Kysely<Schema>, identity: string): Promise<"waiting" | "gone"> {
  const row = await db.selectFrom("pending_context").select("seq").where("identity", "=", identity).executeTakeFirst();
  return row === undefined ? "gone" : "waiting";
}

async function inputsOf(db: Kysely<Schema>, turnId: string): Promise<number> {
  const rows = await db.selectFrom("inbox").select("seq").where("turn_id", "=", turnId).execute();
  return rows.length;
}

async function answersOf(
  db: Kysely<Schema>,
  {
    row,
    item,
    turn,
  }: {
    readonly row: Selectable<InboundEventsTable>;
    readonly item: InboxItem | null;
    readonly turn: TracedTurn | null;
  },
): Promise<readonly TracedAnswer[]> {
  if (turn !== null) return turnAnswers(db, turn.id);
  if (item?.payload.kind === "command") {
    const keys = [...Array(128).keys(), "file"].map((at) => `command:${item.key}:${at}`);
    return answersWith(db, keys);
  }
  // A line that says why: keyed by the event (`accept-refusal.ts`).
  const parts = row.identity.split("/").slice(0, 4).map(decodeURIComponent);
  return answersWith(db, [`notice:${parts.join("/")}`]);
}

async function turnAnswers(db: Kysely<Schema>, turnId: string): Promise<readonly TracedAnswer[]> {
  const rows = await db.selectFrom("deliveries").selectAll().where("turn_id", "=", turnId).orderBy("id").execute();
  return rows.map(deliveryFromRow).map(answerLine);
}

async function answersWith(db: Kysely<Schema>, keys: readonly string[]): Promise<readonly TracedAnswer[]> {
  const rows = await db.selectFrom("deliveries").selectAll().where("key", "in", keys).orderBy("id").execute();
  return rows.map(deliveryFromRow).map(answerLine);
}

function answerLine({
  id,
  state,
  messageIds,
  route,
  attempts,
  reason,
}: ReturnType<typeof deliveryFromRow>): TracedAnswer {
  return { id, state, messageIds, route, attempts, reason };
}

async function subagentsOf(db: Kysely<Schema>, turn: TracedTurn): Promise<EventTrace["subagents"]> {
  const runs = await db
    .selectFrom("runs")
    .select("id")
    .where("wake_key", "=", turn.sessionKey)
    .where("kind", "=", "spawn")
    .where("created_at", ">=", turn.startedAt)
    .where("created_at", "<=", turn.endedAt ?? Number.MAX_SAFE_INTEGER)
    .orderBy("created_at")
    .limit(20)
    .execute();
  const subagents: EventTrace["subagents"][number][] = [];
  for (const { id } of runs) {
    const run = await tracedRun(db, id);
    if (run === null) continue;
    const told = await db.selectFrom("completions").select("inbox_seq").where("run_id", "=", id).executeTakeFirst();
    const item = told?.inbox_seq == null ? null : await itemOf(db, told.inbox_seq);
    subagents.push({ run, answers: item?.turnId == null ? [] : await turnAnswers(db, item.turnId) });
  }
  return subagents;
}

/** TB-1: whose place it came from is not known yet. */
async function heldEvents(db: Kysely<Schema>, query: EventQuery): Promise<readonly EventTrace[]> {
  const rows = await db.selectFrom("held_events").selectAll().orderBy("seq").limit(200).execute();
  return rows
    .map((row) => ({ event: JSON.parse(row.event_json) as InboundEvent, heldAt: row.created_at }))
    .filter(({ event }) => isMeant(event, query))
    .map(({ event, heldAt }) => ({
      ...{ kind: "event", identity: identityKey(event.identity), what: event.kind, link: event.link },
      ...{ messageId: event.identity.messageId, place: event.route, senderId: event.sender.id, receivedAt: heldAt },
      ...{ result: "held", rule: THREAD_IN_THE_MAKING, sessionKey: null, context: null },
      ...{ input: null, waits: { for: "place" }, withdrawnBy: null, turn: null, isSteered: false, together: 0 },
      ...{ answers: [], subagents: [], chain: null },
    }));
}

function isMeant({ identity, link, route }: InboundEvent, query: EventQuery): boolean {
  if (query.by === "reference") return identityKey(identity) === query.reference || link === query.reference;
  return (
    identity.messageId === query.messageId &&
    (query.channel ?? route.channel) === route.channel &&
    (query.accountId ?? route.accountId) === route.accountId &&
    (query.place === null || isAt(route, query.place))
  );
}

function isAt(route: Route, { to, threadId }: NamedPlace): boolean {
  if (threadId === undefined) return route.to === to || route.threadId === to;
  return route.to === to && route.threadId === threadId;
}
