import type { AccountId, ChannelId } from "../../../core/ids.ts";
import { defineStep } from "../../store.ts";

/** Revokes an approval, or removes a person from the stored list (CM-14): their next DM comes from an unknown sender again. False: that id was not paired there. */
export const revokePairing = defineStep(
  "pairing-revoke",
  "full",
  async (
    { db },
    input: { readonly channel: ChannelId; readonly accountId: AccountId; readonly senderId: string },
  ): Promise<boolean> => {
    const removed = await db
      .deleteFrom("paired_senders")
      .where("channel", "=", input.channel)
      .where("account_id", "=", input.accountId)
      .where("sender_id", "=", input.senderId)
      .executeTakeFirst();
    return removed.numDeletedRows > 0n;
  },
);
