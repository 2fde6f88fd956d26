import { type Selectable, sql } from "kysely";
import type { Delivery, DeliveryContent, ReadBack, RenderedPiece } from "../../../core/delivery/delivery.ts";
import { conversationKey } from "../../../core/delivery/delivery.ts";
import { assertNever } from "../../../core/runtime.ts";
import { NO_RIGHTS } from "../../../core/session/rights.ts";
import { deliveryFailed, deliveryUnconfirmed } from "../../../core/texts/agent/session-notices.ts";
import {
  messageFailed,
  messageUnconfirmed,
  placeName,
  threadFailed,
  threadUnconfirmed,
  UNKNOWN_REASON,
} from "../../../core/texts/store/outcomes.ts";
import { touchBinding } from "../../parts/bind.ts";
import { sayOnce } from "../../parts/end-binding.ts";
import { insertInput } from "../../parts/inputs.ts";
import { noteAct, tellsItself } from "../../parts/outbox.ts";
import { insertFailure } from "../../parts/record-failure.ts";
import { type MadeThread, placeRefused, type RefusedPlace, settleThread } from "../../parts/settle-thread.ts";
import { deliveryFromRow } from "../../rows.ts";
import { defineStatement } from "../../statement.ts";
import { defineStep, type StepContext } from "../../store.ts";
import type { DeliveriesTable } from "../../tables/outside.ts";

/** The result of a claimed delivery, which `delivery/retry-policy.ts` decides. */
export type Settlement =
  | {
      readonly state: "sent";
      readonly messageIds: readonly string[];
      /** Exactly for a `thread` delivery. */
      readonly made?: MadeThread;
    }
  | {
      readonly state: "pending";
      readonly nextAt: number;
      readonly reason: string;
      /** False gives the attempt back: waiting uses up none (DL-4). */
      readonly countsAttempt: boolean;
      /** The message to edit cannot be edited any more: the next try sends a new one. */
      readonly asNewMessage: boolean;
    }
  | {
      readonly state: "failed" | "unconfirmed";
      readonly reason: string;
      /** What the refusal says of the place itself; absent: nothing. */
      readonly place?: RefusedPlace;
      /** The one line that people get instead (FC-220). */
      readonly instead?: RenderedPiece;
    }
  /** A message that was taken back, or that need not go any more. */
  | { readonly state: "withdrawn"; readonly reason: string | null };

export interface SettleDelivery {
  readonly id: number;
  /** The conversation it was claimed in; when it moved meanwhile, the new one is made due. */
  readonly conversation: string;
  readonly settlement: Settlement;
  /** What reading back an earlier try found; absent: it was not read back. */
  readonly readBack?: ReadBack | undefined;
}

/**
 * Records the result of one send, message ids immediately (DL-3). When the content changed while it was being sent, the row
 * stays `pending` for the newer one. A final failure also goes to the operator's view and to the session, whose next turn
 * sees it (FC-139); previews fail silently. Returns the row, or null when it is not `sending`: settled before.
 */
async function settle(context: StepContext, input: SettleDelivery): Promise<Delivery | null> {
  const { db, now, enqueue } = context;
  const { settlement } = input;
  const row = await (settlement.state === "sent"
    ? settleSent.first(db, { id: input.id, now, messageIds: JSON.stringify(settlement.messageIds) })
    : settleOther(context, input.id, settlement));
  if (row === undefined) return null;
  const delivery = deliveryFromRow(row);
  await noteTry(context, row, input);
  if (row.conversation !== input.conversation) enqueue("deliver", row.conversation);
  const lost = delivery.state === "failed" || delivery.state === "unconfirmed";
  if (lost && row.preview === 0) await tellOfLoss(context, delivery);
  if (delivery.state === "failed" && "instead" in settlement && settlement.instead !== undefined) {
    // One line for a reply of several messages.
    const key = `instead:${delivery.turnId ?? delivery.key}`;
    await sayOnce(context, delivery.route, { key, piece: settlement.instead });
  }
  if (lost || delivery.state === "sent") await noteInPlace(context, delivery, settlement);
  return delivery;
}

async function noteTry(
  context: StepContext,
  row: Selectable<DeliveriesTable>,
  { settlement, readBack }: SettleDelivery,
): Promise<void> {
  const { state } = settlement;
  if (state === "sent" && readBack === undefined && tellsItself(row)) return;
  await noteAct(context, row.id, {
    act: state === "pending" ? "waits" : state,
    startedAt: row.claimed_at,
    reason: "reason" in settlement ? settlement.reason : null,
    messageIds: state === "sent" ? settlement.messageIds : [],
    readBack: readBack ?? null,
    what: row.preview === 1 || row.claimed_revision < row.revision ? "preview" : "content",
  });
}

/** What the outcome means for bound conversations: a thread was made or not, a bound one was used or is closed. */
async function noteInPlace(context: StepContext, delivery: Delivery, settlement: Settlement): Promise<void> {
  const { content, route } = delivery;
  if (content.kind === "thread") {
    const made = settlement.state === "sent" ? (settlement.made ?? null) : null;
    await settleThread(context, delivery, content, made);
  } else if (delivery.state === "sent") {
    if (route.threadId !== null) await touchBinding(context, conversationKey(route));
  } else if ("place" in settlement && settlement.place !== undefined) {
    await placeRefused(context, route, { how: settlement.place, reason: settlement.reason });
  }
}

const settleSent = defineStatement(
  (db, p: { readonly id: number; readonly now: number; readonly messageIds: string }) =>
    db
      .updateTable("deliveries")
      .set({
        message_ids_json: p.messageIds,
        reason: null,
        next_at: p.now,
        state: sql<string>`case when revision = claimed_revision then 'sent' else 'pending' end`,
        settled_at: p.now,
      })
      .where("id", "=", p.id)
      .where("state", "=", "sending")
      .returningAll(),
);

function settleOther({ db, now }: StepContext, id: number, settlement: Exclude<Settlement, { state: "sent" }>) {
  return db
    .updateTable("deliveries")
    .set({
      ...columnsOf(settlement),
      state: sql<string>`case when revision = claimed_revision then ${settlement.state} else 'pending' end`,
      settled_at: settlement.state === "pending" ? null : now,
    })
    .where("id", "=", id)
    .where("state", "=", "sending")
    .returningAll()
    .executeTakeFirst();
}

function columnsOf(settlement: Exclude<Settlement, { state: "sent" }>) {
  switch (settlement.state) {
    case "pending":
      return {
        next_at: sql<number>`case when revision = claimed_revision then ${settlement.nextAt} else next_at end`,
        reason: settlement.reason,
        attempts: settlement.countsAttempt
          ? sql<number>`attempts`
          : sql<number>`case when attempts > 0 then attempts - 1 else 0 end`,
        ...(settlement.asNewMessage ? { message_ids_json: "[]" } : {}),
      };
    case "failed":
    case "unconfirmed":
      return { reason: settlement.reason };
    case "withdrawn":
      return { reason: settlement.reason, message_ids_json: "[]" };
    default:
      return assertNever(settlement);
  }
}

async function tellOfLoss(context: StepContext, delivery: Delivery): Promise<void> {
  const { content } = delivery;
  if (content.kind === "message" && content.once === true) return;
  const lost = { place: placeName(delivery.route), reason: delivery.reason ?? UNKNOWN_REASON };
  const failed = delivery.state === "failed";
  const [threadText, messageText] = failed ? [threadFailed, messageFailed] : [threadUnconfirmed, messageUnconfirmed];
  await insertFailure(context, {
    kind: "delivery",
    subject: String(delivery.id),
    sessionKey: delivery.sessionKey,
    message: content.kind === "thread" ? threadText(lost) : messageText(lost),
  });
  if (delivery.sessionKey === null || content.kind === "delete" || content.kind === "thread") return;
  await insertInput(context, {
    key: `delivery:${delivery.id}:${delivery.revision}:${delivery.state}`,
    sessionKey: delivery.sessionKey,
    payload: {
      kind: "notice",
      text: (failed ? deliveryFailed : deliveryUnconfirmed)({ ...lost, opening: opening(content) }),
      wakes: false,
    },
    provenance: { kind: "system", source: "delivery" },
    route: null,
    rights: NO_RIGHTS,
    cause: delivery.key,
  });
}

function opening(content: Exclude<DeliveryContent, { kind: "delete" | "thread" }>): string {
  const text = content.kind === "file" ? `file ${content.file.name}` : content.piece.plain;
  return JSON.stringify([...text].slice(0, 80).join(""));
}

/** Nothing is told outside after it; but after a power cut a row without it is an unknown outcome. */
export const settleDelivery = defineStep("settle-delivery", "soon", settle);

/** See `claimRepeatableDelivery`: after a power cut the send is repeated, which shows one message. */
export const settleRepeatableDelivery = defineStep("settle-repeatable-delivery", "normal", settle);
