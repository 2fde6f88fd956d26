import { defineStep } from "../../store.ts";
import type { PairedPerson, PairingChoice } from "./pairing-approve.ts";

/** Takes a waiting request away; the person may ask again and gets another code. null: no such code waits. */
export const denyPairing = defineStep(
  "pairing-deny",
  "full",
  async ({ db, now }, input: PairingChoice): Promise<PairedPerson | null> => {
    const request = await db
      .deleteFrom("pairing_requests")
      .where("channel", "=", input.channel)
      .where("code", "=", input.code)
      .where("expires_at", ">", now)
      .$if(input.accountId !== null, (query) => query.where("account_id", "=", input.accountId ?? ""))
      .returningAll()
      .executeTakeFirst();
    if (request === undefined) return null;
    return {
      channel: request.channel,
      accountId: request.account_id,
      senderId: request.sender_id,
      senderName: request.sender_name,
    };
  },
);
