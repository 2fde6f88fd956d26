import type { AccountId, ChannelId } from "../../../core/ids.ts";
import { readPlaceSender } from "../../../core/message/place-senders.ts";
import { defineRead } from "../../store.ts";

export interface PlaceSender {
  readonly channel: ChannelId;
  readonly accountId: AccountId;
  readonly peerId: string;
  readonly senderId: string;
}

/** Everybody on a stored list of a group or channel (CM-14). */
export const placeSenders = defineRead("place-senders", async (db, _: undefined): Promise<readonly PlaceSender[]> => {
  const rows = await db
    .selectFrom("account_state")
    .select(["channel", "account_id", "name"])
    .where("name", "like", "senders/%")
    .orderBy("channel")
    .orderBy("account_id")
    .orderBy("name")
    .execute();
  return rows.flatMap(({ channel, account_id: accountId, name }) => {
    const found = readPlaceSender(name);
    return found === null ? [] : [{ channel, accountId, ...found }];
  });
});
