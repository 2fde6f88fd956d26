import type { AccountId, ChannelId } from "../../../core/ids.ts";
import { placeSenderName } from "../../../core/session/session.ts";
import { defineStep } from "../../store.ts";

/** Adds a person to the stored list of a group or channel, or removes them (CM-14). False: nothing changed. */
export const listInPlace = defineStep(
  "list-in-place",
  "full",
  async (
    { db },
    input: {
      readonly channel: ChannelId;
      readonly accountId: AccountId;
      readonly peerId: string;
      readonly senderId: string;
      readonly listed: boolean;
    },
  ): Promise<boolean> => {
    const name = placeSenderName(input.peerId, input.senderId);
    const account = { channel: input.channel, account_id: input.accountId };
    if (input.listed) {
      const added = await db
        .insertInto("account_state")
        .values({ ...account, name, value: "listed" })
        .onConflict((conflict) => conflict.columns(["channel", "account_id", "name"]).doNothing())
        .executeTakeFirst();
      return (added.numInsertedOrUpdatedRows ?? 0n) > 0n;
    }
    const removed = await db
      .deleteFrom("account_state")
      .where("channel", "=", account.channel)
      .where("account_id", "=", account.account_id)
      .where("name", "=", name)
      .executeTakeFirst();
    return removed.numDeletedRows > 0n;
  },
);
