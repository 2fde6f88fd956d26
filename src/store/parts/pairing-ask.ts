import { StoreError } from "../../core/errors.ts";
import type { AccountId, ChannelId } from "../../core/ids.ts";
import type { StepContext } from "../store.ts";

export interface PairingAsk {
  readonly channel: ChannelId;
  readonly accountId: AccountId;
  readonly senderId: string;
  readonly senderName: string;
  readonly code: string;
  readonly expiresAt: number;
  /** Requests that may wait per channel account (IN-5). */
  readonly maxWaiting: number;
}

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
    .select(["sender_id", "code"])
    .where("channel", "=", channel)
    .where("account_id", "=", accountId)
    .execute();
  const known = waiting.find((row) => row.sender_id === senderId);
  if (known?.code === ask.code) return;
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
    })
    .execute();
}
