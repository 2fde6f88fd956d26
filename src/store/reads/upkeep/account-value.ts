import type { AccountId, ChannelId } from "../../../core/ids.ts";
import { defineRead } from "../../store.ts";

/** A small durable value of one account: an offset, a hash. */
export const accountValue = defineRead(
  "account-value",
  async (
    db,
    input: { readonly channel: ChannelId; readonly accountId: AccountId; readonly name: string },
  ): Promise<string | null> => {
    const row = await db
      .selectFrom("account_state")
      .select("value")
      .where("channel", "=", input.channel)
      .where("account_id", "=", input.accountId)
      .where("name", "=", input.name)
      .executeTakeFirst();
    return row?.value ?? null;
  },
);
