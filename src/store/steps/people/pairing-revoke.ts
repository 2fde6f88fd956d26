import type { AccountId, ChannelId } from "../../../core/ids.ts";
import { defineStep } from "../../store.ts";

/** Takes back an approval, or takes somebody off the stored list (CM-14): their next DM is an unknown sender's again. False: nobody of that id was paired there. */
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
