import { type Kysely, sql } from "kysely";
import { conversationKey, type Route } from "../../../core/delivery/route.ts";
import type { AccountId, ChannelId } from "../../../core/ids.ts";
import type { Schema } from "../../schema.ts";
import { defineRead } from "../../store.ts";

/** A typed command that names no bot, as one account heard it in a place where others of ours may have heard it too (CM-17). */
export interface SharedCommand {
  readonly route: Route;
  readonly senderId: string;
  /** The other accounts of the channel. */
  readonly others: readonly AccountId[];
  /** The message's address at the platform, the same for every bot; null: the platform has none that is. */
  readonly link: string | null;
  /** The message it is a reply to. */
  readonly replyTo: string | null;
}

/**
 * The other account that such a command is for; null: this one may run it. It is for the account that already runs it, else
 * the one whose message it replies to, else the one whose sub-agent is linked here, else the one its sender spoke to last.
 */
export const whoseCommand = defineRead(
  "whose-command",
  async (db, command: SharedCommand): Promise<AccountId | null> => {
    const { route, others, replyTo } = command;
    const taken = await takenBy(db, { ...command, channel: route.channel });
    if (taken !== null) return taken;
    const places = new Map(others.map((accountId) => [conversationKey({ ...route, accountId }), accountId]));
    const theirs = [...places.keys()];
    if (replyTo !== null) {
      const sent = await db
        .selectFrom("deliveries")
        .select("conversation")
        .where("conversation", "in", theirs)
        .where("state", "=", sql.lit("sent"))
        .where("message_ids_json", "like", `%${JSON.stringify(replyTo)}%`)
        .executeTakeFirst();
      if (sent !== undefined) return places.get(sent.conversation) ?? null;
    }
    const own = conversationKey(route);
    const bound = await db
      .selectFrom("bindings")
      .select("conversation")
      .where("conversation", "in", [own, ...theirs])
      .where("ended_at", "is", null)
      .execute();
    if (bound.some(({ conversation }) => conversation === own)) return null;
    const [binding] = bound;
    if (binding !== undefined) return places.get(binding.conversation ?? "") ?? null;
    // What a thread hangs on stands in the conversation around it, and began the talk in it.
    const around = [route.accountId, ...others].map((accountId) =>
      conversationKey({ ...route, accountId, threadId: null }),
    );
    const spoken = await db
      .selectFrom("inbound_events")
      .select(["account_id", (eb) => eb.fn.max("received_at").as("last")])
      .select((eb) => eb.fn.max("received_at").filterWhere("sender_id", "=", command.senderId).as("with_sender"))
      .where((eb) =>
        eb.or([
          eb("conversation", "in", [own, ...theirs]),
          eb.and([eb("message_id", "=", route.threadId ?? ""), eb("conversation", "in", around)]),
        ]),
      )
      .where("result", "in", ["accepted", "merged", "command"])
      .groupBy("account_id")
      .execute();
    const bySender = spoken.some((row) => row.with_sender !== null);
    const latest = spoken
      .map((row) => ({ account: row.account_id, at: Number((bySender ? row.with_sender : row.last) ?? 0) }))
      .toSorted((a, b) => b.at - a.at || (a.account < b.account ? -1 : 1))
      .at(0);
    return latest === undefined || latest.account === route.accountId ? null : latest.account;
  },
);

/** The account that already runs a message as a command. */
export async function takenBy(
  db: Kysely<Schema>,
  at: Pick<SharedCommand, "link" | "others"> & { readonly channel: ChannelId },
): Promise<AccountId | null> {
  if (at.link === null || at.others.length === 0) return null;
  const row = await db
    .selectFrom("inbound_events")
    .select("account_id")
    .where("link", "=", at.link)
    .where("channel", "=", at.channel)
    .where("account_id", "in", at.others)
    .where("result", "=", "command")
    .executeTakeFirst();
  return row?.account_id ?? null;
}
