import type { AccountId, ChannelId } from "../../../core/ids.ts";
import { welcome } from "../../parts/pairing-ask.ts";
import { defineStep } from "../../store.ts";

/**
 * Adds a person to the stored list of people who may write to an account directly (CM-14), under `pairing` and `allowlist` alike.
 * False: they stood on it already. `revokePairing` takes them off.
 */
export const allowSender = defineStep(
  "allow-sender",
  "full",
  async (
    context,
    input: { readonly channel: ChannelId; readonly accountId: AccountId; readonly senderId: string },
  ): Promise<boolean> => {
    const { db, now } = context;
    const row = { channel: input.channel, account_id: input.accountId, sender_id: input.senderId };
    const known = await db
      .selectFrom("paired_senders")
      .select("listed")
      .where("channel", "=", row.channel)
      .where("account_id", "=", row.account_id)
      .where("sender_id", "=", row.sender_id)
      .executeTakeFirst();
    if (known?.listed === 1) return false;
    await db
      .insertInto("paired_senders")
      .values({ ...row, owner: 0, listed: 1, approved_at: now })
      .onConflict((conflict) => conflict.columns(["channel", "account_id", "sender_id"]).doUpdateSet({ listed: 1 }))
      .execute();
    // A request is answered by this too; under `allowlist` there is none.
    const request = await db
      .deleteFrom("pairing_requests")
      .where("channel", "=", row.channel)
      .where("account_id", "=", row.account_id)
      .where("sender_id", "=", row.sender_id)
      .where("expires_at", ">", now)
      .returning("waiting_json")
      .executeTakeFirst();
    if (request !== undefined) await welcome(context, request.waiting_json);
    return true;
  },
);
