import type { AccountId, ChannelId } from "../../../core/ids.ts";
import { welcome } from "../../parts/pairing-ask.ts";
import { defineStep } from "../../store.ts";

export interface PairingChoice {
  readonly channel: ChannelId;
  /** null: any account of the channel. */
  readonly accountId: AccountId | null;
  readonly code: string;
}

export interface PairedPerson {
  readonly channel: ChannelId;
  readonly accountId: AccountId;
  readonly senderId: string;
  readonly senderName: string;
}

/**
 * Lets the person with this code in, durably, for DMs of that account only (IN-5, FC-086), greets them, and has what they
 * wrote answered (FC-333); with `owner` they also become an owner. null: no such code waits. `owners`: how many paired owners there are now, so that the answer can say how to make one.
 */
export const approvePairing = defineStep(
  "pairing-approve",
  "full",
  async (
    context,
    input: PairingChoice & { readonly owner: boolean },
  ): Promise<{ readonly person: PairedPerson; readonly owners: number } | null> => {
    const { db, now } = context;
    const request = await db
      .deleteFrom("pairing_requests")
      .where("channel", "=", input.channel)
      .where("code", "=", input.code)
      .where("expires_at", ">", now)
      .$if(input.accountId !== null, (query) => query.where("account_id", "=", input.accountId ?? ""))
      .returningAll()
      .executeTakeFirst();
    if (request === undefined) return null;
    await db
      .insertInto("paired_senders")
      .values({
        channel: request.channel,
        account_id: request.account_id,
        sender_id: request.sender_id,
        owner: input.owner ? 1 : 0,
        listed: 0,
        approved_at: now,
      })
      .onConflict((conflict) =>
        conflict
          .columns(["channel", "account_id", "sender_id"])
          .doUpdateSet(input.owner ? { approved_at: now, owner: 1 } : { approved_at: now }),
      )
      .execute();
    await welcome(context, request.waiting_json);
    const owners = await db
      .selectFrom("paired_senders")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("owner", "=", 1)
      .executeTakeFirstOrThrow();
    const person = {
      channel: request.channel,
      accountId: request.account_id,
      senderId: request.sender_id,
      senderName: request.sender_name,
    };
    return { person, owners: Number(owners.count) };
  },
);
