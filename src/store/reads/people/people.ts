import type { AccountId, ChannelId } from "../../../core/ids.ts";
import { readPlaceSender } from "../../../core/session/session.ts";
import { defineRead } from "../../store.ts";

export interface PairingRequest {
  readonly channel: ChannelId;
  readonly accountId: AccountId;
  readonly senderId: string;
  readonly senderName: string;
  readonly code: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface PairedSender {
  readonly channel: ChannelId;
  readonly accountId: AccountId;
  readonly senderId: string;
  readonly owner: boolean;
  /** Put on the list by an owner, not only paired (CM-14). */
  readonly listed: boolean;
  readonly approvedAt: number;
}

/** The requests that still wait, oldest first, of all channels or of one account. */
export const pairingRequests = defineRead(
  "pairing-requests",
  async (
    db,
    input: {
      readonly now: number;
      readonly account: { readonly channel: ChannelId; readonly accountId: AccountId } | null;
    },
  ): Promise<readonly PairingRequest[]> => {
    let query = db.selectFrom("pairing_requests").selectAll().where("expires_at", ">", input.now).orderBy("created_at");
    if (input.account !== null) {
      const { channel, accountId } = input.account;
      query = query.where("channel", "=", channel).where("account_id", "=", accountId);
    }
    const rows = await query.execute();
    return rows.map((row) => ({
      channel: row.channel,
      accountId: row.account_id,
      senderId: row.sender_id,
      senderName: row.sender_name,
      code: row.code,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    }));
  },
);

/** Everybody let in by pairing or by `/allowlist`, newest last. */
export const pairedSenders = defineRead(
  "paired-senders",
  async (db, _input: null): Promise<readonly PairedSender[]> => {
    const rows = await db.selectFrom("paired_senders").selectAll().orderBy("approved_at").execute();
    return rows.map((row) => ({
      channel: row.channel,
      accountId: row.account_id,
      senderId: row.sender_id,
      owner: row.owner === 1,
      listed: row.listed === 1,
      approvedAt: row.approved_at,
    }));
  },
);

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
