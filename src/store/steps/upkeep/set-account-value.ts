import type { AccountId, ChannelId } from "../../../core/ids.ts";
import { defineStep } from "../../store.ts";

export const setAccountValue = defineStep(
  "set-account-value",
  "normal",
  async (
    { db },
    input: {
      readonly channel: ChannelId;
      readonly accountId: AccountId;
      readonly name: string;
      readonly value: string;
    },
  ): Promise<void> => {
    await db
      .insertInto("account_state")
      .values({ channel: input.channel, account_id: input.accountId, name: input.name, value: input.value })
      .onConflict((conflict) => conflict.columns(["channel", "account_id", "name"]).doUpdateSet({ value: input.value }))
      .execute();
  },
);
