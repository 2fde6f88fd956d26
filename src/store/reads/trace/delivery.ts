import { type Kysely, sql } from "kysely";
import type { Delivery, DeliveryAct, DeliveryState, Route } from "../../../core/delivery/delivery.ts";
import type { RunId, TurnId } from "../../../core/ids.ts";
import type { Run } from "../../../core/session/run.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { deliveryActFromRow, deliveryFromRow, inboxItemFromRow, runFromRow } from "../../rows.ts";
import type { Schema } from "../../schema.ts";
import { defineRead } from "../../store.ts";
import { inConversation, type NamedPlace } from "../delivery/deliveries.ts";
import { commandKeyOf, type TracedInput, type TracedTurn, tracedInput, tracedTurn } from "./inputs.ts";

/** More than any answer has (`delivery.maxChunks`). */
const MOST_PIECES = 128;

/** One delivery of those that were decided together. */
export interface TracedPiece {
  readonly id: number;
  readonly kind: Delivery["content"]["kind"];
  readonly state: DeliveryState;
  readonly messageIds: readonly string[];
}

/** What a delivery answers (DL-16). */
export type DeliveryOrigin =
  | {
      readonly by: "turn";
      readonly turn: TracedTurn;
      /** What the turn worked on, oldest first; pruned ones are missing. */
      readonly inputs: readonly TracedInput[];
      /** The runs whose results it told of, with the routes they were started from. */
      readonly told: readonly TracedRun[];
    }
  | { readonly by: "command"; readonly input: TracedInput | null }
  /** The thread of a sub-agent, or a line about it. */
  | { readonly by: "thread"; readonly run: TracedRun | null }
  | { readonly by: "message tool" | "refusal" | "full queue" | "chain limit" | "turn failure" | "other" };

export interface TracedRun {
  readonly id: RunId;
  readonly label: string | null;
  readonly state: Run["state"];
  readonly outcome: Run["outcome"];
  readonly session: SessionKey;
  readonly requester: SessionKey;
  /** Of the turn that started it. */
  readonly route: Route | null;
}

/** The whole history of one message that leaves (DL-16). */
export interface DeliveryTrace {
  readonly kind: "delivery";
  readonly delivery: Delivery;
  readonly isPreview: boolean;
  /** When the last try began; null: none did. */
  readonly claimedAt: number | null;
  readonly acts: readonly DeliveryAct[];
  readonly pieces: readonly TracedPiece[];
  readonly origin: DeliveryOrigin;
  /** The conversation was bound to the delivery's session then. */
  readonly isBound: boolean;
}

/** Everything that is stored of one delivery; null: there is none, or it is older than `store.retention.records`. */
export const traceDelivery = defineRead("trace-delivery", async (db, id: number): Promise<DeliveryTrace | null> => {
  const row = await db.selectFrom("deliveries").selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined) return null;
  const acts = await db.selectFrom("delivery_acts").selectAll().where("delivery_id", "=", id).orderBy("id").execute();
  const delivery = deliveryFromRow(row);
  const stored = acts.map(deliveryActFromRow);
  const last = lastTry(delivery, row.claimed_at, stored);
  return {
    kind: "delivery",
    delivery,
    isPreview: row.preview === 1,
    claimedAt: row.claimed_at,
    acts: last === null ? stored : [...stored, last],
    pieces: await piecesOf(db, delivery),
    origin: await originOf(db, delivery),
    isBound: await wasBound(db, delivery, row.conversation),
  };
});

/** What the row itself tells: the one try of a message that went out at once, or after a limit or a word of the operator. */
function lastTry(delivery: Delivery, claimedAt: number | null, acts: readonly DeliveryAct[]): DeliveryAct | null {
  const { state, settledAt, messageIds } = delivery;
  if (state !== "sent" || settledAt === null || acts.some(({ act, at }) => act === "sent" && at === settledAt))
    return null;
  return {
    ...{ act: "sent", startedAt: claimedAt, at: settledAt, reason: null, messageIds },
    ...{ readBack: null, what: "content", folded: 0 },
  };
}

async function piecesOf(db: Kysely<Schema>, { key, turnId }: Delivery): Promise<readonly TracedPiece[]> {
  const command = commandKeyOf(key);
  if (turnId === null && command === null) return [];
  const query = db.selectFrom("deliveries").selectAll().orderBy("id");
  const rows = await (turnId === null
    ? query.where(
        "key",
        "in",
        [...Array(MOST_PIECES).keys(), "file"].map((at) => `command:${command}:${at}`),
      )
    : query.where("turn_id", "=", turnId)
  ).execute();
  return rows.map(deliveryFromRow).map(({ id, content, state, messageIds }) => ({
    ...{ id, kind: content.kind, state, messageIds },
  }));
}

async function originOf(db: Kysely<Schema>, delivery: Delivery): Promise<DeliveryOrigin> {
  const { key, turnId, runId } = delivery;
  const turn = turnId === null ? null : await tracedTurn(db, turnId);
  if (turn !== null) return { by: "turn", turn, ...(await workOf(db, turn.id)) };
  const command = commandKeyOf(key);
  if (command !== null) {
    const row = await db.selectFrom("inbox").selectAll().where("key", "=", command).executeTakeFirst();
    return { by: "command", input: row === undefined ? null : await tracedInput(db, inboxItemFromRow(row)) };
  }
  const [word] = key.split(":", 1);
  switch (word) {
    case "thread":
    case "binding":
      return { by: "thread", run: runId === null ? null : await tracedRun(db, runId) };
    case "message":
      return { by: "message tool" };
    case "notice":
      return { by: "refusal" };
    case "queue-full":
      return { by: "full queue" };
    case "chain":
      return { by: "chain limit" };
    case "turn-failed":
      return { by: "turn failure" };
    default:
      return { by: "other" };
  }
}

async function workOf(
  db: Kysely<Schema>,
  turnId: TurnId,
): Promise<{ readonly inputs: readonly TracedInput[]; readonly told: readonly TracedRun[] }> {
  const rows = await db.selectFrom("inbox").selectAll().where("turn_id", "=", turnId).orderBy("seq").execute();
  const items = rows.map(inboxItemFromRow);
  const inputs: TracedInput[] = [];
  for (const item of items) inputs.push(await tracedInput(db, item));
  const told: TracedRun[] = [];
  for (const { payload } of items) {
    if (payload.kind !== "completion") continue;
    for (const runId of payload.runIds) {
      const run = await tracedRun(db, runId);
      if (run !== null) told.push(run);
    }
  }
  return { inputs, told };
}

export async function tracedRun(db: Kysely<Schema>, id: RunId): Promise<TracedRun | null> {
  const row = await db.selectFrom("runs").selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined) return null;
  const { label, state, outcome, sessionKey, wake, route } = runFromRow(row);
  return { id, label, state, outcome, session: sessionKey, requester: wake.key, route };
}

async function wasBound(db: Kysely<Schema>, delivery: Delivery, conversation: string): Promise<boolean> {
  const { createdAt } = delivery;
  const key = delivery.sessionKey;
  if (key === null) return false;
  const row = await db
    .selectFrom("bindings")
    .select("id")
    .where("conversation", "=", conversation)
    .where("session_key", "=", key)
    .where("created_at", "<=", createdAt)
    .where((eb) => eb.or([eb("ended_at", "is", null), eb("ended_at", ">=", createdAt)]))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The deliveries that stand on the platform as one of these messages, oldest first. `to`: only in this conversation. */
export const deliveriesShownAs = defineRead(
  "deliveries-shown-as",
  async (
    db,
    shown: {
      readonly messageId: string;
      readonly channel: string | null;
      readonly accountId: string | null;
      readonly place: NamedPlace | null;
      readonly limit: number;
    },
  ): Promise<readonly Delivery[]> => {
    let query = db
      .selectFrom("deliveries")
      .selectAll()
      // Literal, so that SQLite uses the partial index. One delivery is one message on every platform.
      .where(sql<boolean>`message_ids_json <> '[]'`)
      .where("message_ids_json", "=", JSON.stringify([shown.messageId]));
    if (shown.channel !== null) query = query.where("channel", "=", shown.channel);
    if (shown.accountId !== null) query = query.where("account_id", "=", shown.accountId);
    if (shown.place !== null) query = query.where(inConversation(shown.place));
    const rows = await query.orderBy("id").limit(shown.limit).execute();
    return rows.map(deliveryFromRow);
  },
);
