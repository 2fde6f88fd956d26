import type { Selectable } from "kysely";
import { conversationKey } from "../../core/delivery/delivery.ts";
import type { InboxItem, InboxPayload } from "../../core/message/inbox-item.ts";
import { type GatheringPayload, isGathering, joinPayload, mustWait } from "../../core/message/inbox-item.ts";
import { turnTask } from "../../core/message/turn-inputs.ts";
import type { SessionKey } from "../../core/session/session-key.ts";
import { inboxItemFromRow } from "../rows.ts";
import { defineStatement } from "../statement.ts";
import type { StepContext } from "../store.ts";
import type { InboxTable } from "../tables/work.ts";

export type NewInput = Pick<
  InboxItem,
  "key" | "sessionKey" | "payload" | "provenance" | "route" | "rights" | "cause"
> & {
  readonly state?: "waiting" | "held";
  readonly runId?: string | null;
  readonly callId?: string | null;
};

const insertRow = defineStatement((db, p: Omit<Selectable<InboxTable>, "seq">) =>
  db
    .insertInto("inbox")
    .values(p)
    .onConflict((conflict) => conflict.column("key").doNothing())
    .returning("seq"),
);

/**
 * Part of a step: an input of a session, once per key; a waiting one makes its session due, unless it is a notice that
 * wakes no session. Returns its sequence, or null if the key exists already.
 */
export async function insertInput({ db, now, enqueue }: StepContext, input: NewInput): Promise<number | null> {
  const state = input.state ?? "waiting";
  const row = await insertRow.first(db, {
    key: input.key,
    session_key: input.sessionKey,
    kind: input.payload.kind,
    state,
    payload_json: JSON.stringify(input.payload),
    provenance_json: JSON.stringify(input.provenance),
    route_json: input.route === null ? null : JSON.stringify(input.route),
    conversation: input.route === null ? null : conversationKey(input.route),
    rights_json: JSON.stringify(input.rights),
    turn_id: null,
    run_id: input.runId ?? null,
    call_id: input.callId ?? null,
    cause: input.cause,
    received_at: now,
    created_at: now,
    settled_at: null,
  });
  if (row === undefined) return null;
  if (input.payload.kind === "command") {
    // Commands have their own lane per session: they never wait for a turn, and run in order (CM-4).
    enqueue("command", input.sessionKey);
    return row.seq;
  }
  const wakes = input.payload.kind !== "notice" || input.payload.wakes;
  if (state === "waiting" && wakes) enqueue(turnTask(input.sessionKey), input.sessionKey);
  return row.seq;
}

/**
 * Part of a step: the state an input takes with this payload, and what is due for it: its release while it must still wait
 * (a row keeps the time over a restart), its session's turn once it may be taken.
 */
export async function dueFor(
  { db, now, enqueue }: StepContext,
  input: { readonly key: string; readonly sessionKey: SessionKey; readonly payload: InboxPayload },
): Promise<"held" | "waiting"> {
  if (!mustWait(input.payload, now)) {
    await dropReleaseTimer(db, input.key);
    enqueue(turnTask(input.sessionKey), input.sessionKey);
    return "waiting";
  }
  const until = input.payload.kind === "event" ? (input.payload.gathering?.until ?? now) : now;
  // A time in the future, or no row would keep it (SB-4).
  enqueue("release", input.key, Math.max(until, now + 1));
  return "held";
}

/** Part of a step: an input that waits no more, however it ended, keeps no timer. */
export async function dropReleaseTimer(db: StepContext["db"], key: string): Promise<void> {
  await db.deleteFrom("timers").where("task", "=", "release").where("key", "=", key).execute();
}

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

export interface Joining {
  readonly sessionKey: SessionKey;
  /** `conversationKey` of its route. */
  readonly conversation: string;
  readonly payload: GatheringPayload;
}

const openEvents = defineStatement((db, p: { readonly sessionKey: SessionKey; readonly conversation: string }) =>
  db
    .selectFrom("inbox")
    .selectAll()
    .where("session_key", "=", p.sessionKey)
    .where("settled_at", "is", null)
    .where("state", "in", ["held", "waiting"])
    .where("kind", "=", "event")
    .where("conversation", "=", p.conversation)
    .orderBy("seq", "desc")
    .limit(20),
);

/**
 * Part of a step: the input that a message joins, if one is still open: the same album until a turn takes it (IN-12), the
 * same sender's burst while it is held (IN-13). Anything else of the sender in the conversation ends their burst: it is
 * released at once, so that order holds. Returns the sequence joined, or null.
 */
export async function joinInput(context: StepContext, joining: Joining): Promise<number | null> {
  const { db } = context;
  const { sessionKey, conversation } = joining;
  const rows = await openEvents.all(db, { sessionKey, conversation });
  const open = rows.map(inboxItemFromRow).flatMap((item) => (isOpen(item) ? [item] : []));
  const target = open.find((item) => joins(item, joining.payload));
  if (target === undefined) {
    for (const item of open) if (isBurstOf(item, joining.payload.senderId)) await endBurst(context, item);
    return null;
  }
  await rewriteInput(context, { ...target, payload: joinPayload(target.payload, joining.payload) });
  return target.seq;
}

type OpenItem = InboxItem & { readonly payload: GatheringPayload };

function isOpen(item: InboxItem): item is OpenItem {
  return isGathering(item.payload);
}

function joins(item: OpenItem, payload: GatheringPayload): boolean {
  if (payload.gathering.album !== null) return item.payload.gathering.album === payload.gathering.album;
  return (isText(payload) || payload.gathering.debounce) && isBurstOf(item, payload.senderId);
}

function isText(payload: GatheringPayload): boolean {
  return payload.gathering.album === null && payload.gathering.attachments.length === 0;
}

function isBurstOf(item: OpenItem, senderId: string): boolean {
  return item.state === "held" && item.payload.gathering.debounce && item.payload.senderId === senderId;
}

async function endBurst(context: StepContext, item: OpenItem): Promise<void> {
  const { gathering } = item.payload;
  await rewriteInput(context, {
    ...item,
    payload: { ...item.payload, gathering: { ...gathering, debounce: false, until: 0 } },
  });
}

/** Part of a step: a changed payload of an input no turn has taken, with the state and the work that follow from it. */
export async function rewriteInput(
  context: StepContext,
  item: Pick<InboxItem, "seq" | "key" | "sessionKey" | "payload">,
): Promise<"held" | "waiting"> {
  const state = await dueFor(context, item);
  await context.db
    .updateTable("inbox")
    .set({ payload_json: JSON.stringify(item.payload), state })
    .where("seq", "=", item.seq)
    .execute();
  return state;
}

/** Part of a step, for a command: what its sender wrote before it is released first (IN-13). */
export async function endBursts(
  context: StepContext,
  input: { readonly sessionKey: SessionKey; readonly conversation: string; readonly senderId: string },
): Promise<void> {
  const rows = await context.db
    .selectFrom("inbox")
    .selectAll()
    .where("session_key", "=", input.sessionKey)
    .where("settled_at", "is", null)
    .where("state", "=", "held")
    .where("kind", "=", "event")
    .where("conversation", "=", input.conversation)
    .orderBy("seq")
    .execute();
  for (const item of rows.map(inboxItemFromRow)) {
    if (isOpen(item) && isBurstOf(item, input.senderId)) await endBurst(context, item);
  }
}
