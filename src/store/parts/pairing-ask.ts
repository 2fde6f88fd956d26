import { conversationKey, type NewDelivery } from "../../core/delivery/delivery.ts";
import { StoreError } from "../../core/errors.ts";
import type { AccountId, ChannelId } from "../../core/ids.ts";
import { type InboundEvent, identityKey } from "../../core/message/inbound-event.ts";
import type { StepContext } from "../store.ts";
import { insertDeliveries } from "./outbox.ts";

export interface PairingAsk {
  readonly channel: ChannelId;
  readonly accountId: AccountId;
  readonly senderId: string;
  readonly senderName: string;
  readonly code: string;
  readonly expiresAt: number;
  /** Requests that may wait per channel account (IN-5). */
  readonly maxWaiting: number;
  /** What greets the person once they are let in. */
  readonly greeting: NewDelivery;
  /** The message they asked with; null: a command. */
  readonly event: InboundEvent | null;
}

interface Waiting {
  readonly greeting: NewDelivery;
  /** Oldest first. */
  readonly events: readonly InboundEvent[];
}

/** How many messages of a person wait with their request: the newest. */
const MAX_EVENTS = 5;

/**
 * Part of a step: a person waits to be let in (IN-5). Asking again keeps the code and its life. Throws a retryable StoreError
 * when another ask was stored meanwhile, so that the message sent names the code that is stored.
 */
export async function askPairing({ db, now }: StepContext, ask: PairingAsk): Promise<void> {
  const { channel, accountId, senderId } = ask;
  await db
    .deleteFrom("pairing_requests")
    .where("channel", "=", channel)
    .where("account_id", "=", accountId)
    .where("expires_at", "<=", now)
    .execute();
  const waiting = await db
    .selectFrom("pairing_requests")
    .select(["sender_id", "code", "waiting_json"])
    .where("channel", "=", channel)
    .where("account_id", "=", accountId)
    .execute();
  const known = waiting.find((row) => row.sender_id === senderId);
  if (known?.code === ask.code) {
    await db
      .updateTable("pairing_requests")
      .set({ waiting_json: JSON.stringify(withMessage(readWaiting(known.waiting_json), ask)) })
      .where("channel", "=", channel)
      .where("account_id", "=", accountId)
      .where("sender_id", "=", senderId)
      .execute();
    return;
  }
  const taken = waiting.some((row) => row.code === ask.code);
  if (known !== undefined || taken || waiting.length >= ask.maxWaiting) {
    throw new StoreError("pairing_changed", "another pairing request was stored meanwhile", { retryable: true });
  }
  await db
    .insertInto("pairing_requests")
    .values({
      channel,
      account_id: accountId,
      sender_id: senderId,
      sender_name: ask.senderName,
      code: ask.code,
      created_at: now,
      expires_at: ask.expiresAt,
      waiting_json: JSON.stringify(withMessage(null, ask)),
    })
    .execute();
}

function readWaiting(json: string | null): Waiting | null {
  return json === null ? null : (JSON.parse(json) as Waiting);
}

/** The greeting goes where they wrote last. */
function withMessage(before: Waiting | null, { greeting, event }: PairingAsk): Waiting {
  const events = [...(before?.events ?? []), ...(event === null ? [] : [event])];
  return { greeting, events: events.slice(-MAX_EVENTS) };
}

/** Part of a step: greets a person who was let in, and has what they wrote meanwhile decided as if it came at its time. */
export async function welcome(context: StepContext, waitingJson: string | null): Promise<void> {
  const waiting = readWaiting(waitingJson);
  if (waiting === null) return;
  const { db, now, enqueue } = context;
  await insertDeliveries(context, { deliveries: [waiting.greeting], sessionKey: null, turnId: null, runId: null });
  for (const event of waiting.events) {
    const { route } = event;
    const conversation = conversationKey(route);
    await db
      .insertInto("held_events")
      .values({
        identity: identityKey(event.identity),
        channel: route.channel,
        account_id: route.accountId,
        to_id: route.to,
        conversation,
        event_json: JSON.stringify(event),
        created_at: now,
      })
      .onConflict((conflict) => conflict.column("identity").doNothing())
      .execute();
    enqueue("admit-held", conversation);
  }
}

/** Part of a step: a message that waits with a request was edited; null: deleted. False: it does not wait there. */
export async function changeWaiting(
  { db }: StepContext,
  row: { readonly channel: ChannelId; readonly accountId: AccountId },
  change: { readonly target: string; readonly text: string | null },
): Promise<boolean> {
  const requests = await db
    .selectFrom("pairing_requests")
    .selectAll()
    .where("channel", "=", row.channel)
    .where("account_id", "=", row.accountId)
    .execute();
  for (const request of requests) {
    const waiting = readWaiting(request.waiting_json);
    if (waiting?.events.some(({ identity }) => identityKey(identity) === change.target) !== true) continue;
    const events = waiting.events.flatMap((event) => {
      if (identityKey(event.identity) !== change.target) return [event];
      return change.text === null ? [] : [{ ...event, text: change.text }];
    });
    await db
      .updateTable("pairing_requests")
      .set({ waiting_json: JSON.stringify({ ...waiting, events }) })
      .where("channel", "=", request.channel)
      .where("account_id", "=", request.account_id)
      .where("sender_id", "=", request.sender_id)
      .execute();
    return true;
  }
  return false;
}
