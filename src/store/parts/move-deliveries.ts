import { conversationKey, type Route } from "../../core/delivery/route.ts";
import type { AccountId, ChannelId } from "../../core/ids.ts";
import type { StepContext } from "../store.ts";

/** A conversation whose platform id changed (Telegram: a group became a supergroup, SK-9). */
export interface ConversationMove {
  readonly channel: ChannelId;
  readonly accountId: AccountId;
  readonly from: string;
  readonly to: string;
}

/**
 * Part of a step: everything in the outbox that is not settled follows a moved conversation (FC-055). Message ids of the
 * old place mean nothing in the new one, so what was to be edited is sent anew. Done twice, it changes nothing more.
 */
export async function moveDeliveries({ db, enqueue }: StepContext, move: ConversationMove): Promise<void> {
  const rows = await db
    .selectFrom("deliveries")
    .select(["id", "route_json", "state"])
    // A preview that was shown still gets its turn's answer: left behind, that would be an edit nobody can make.
    .where((eb) => eb.or([eb("state", "in", ["pending", "sending", "failed", "unconfirmed"]), eb("preview", "=", 1)]))
    .where("channel", "=", move.channel)
    .where("account_id", "=", move.accountId)
    .execute();
  for (const row of rows) {
    const route = JSON.parse(row.route_json) as Route;
    if (route.to !== move.from) continue;
    const moved: Route = { ...route, to: move.to };
    const conversation = conversationKey(moved);
    await db
      .updateTable("deliveries")
      .set({ route_json: JSON.stringify(moved), conversation, message_ids_json: "[]" })
      .where("id", "=", row.id)
      .execute();
    if (row.state === "pending") enqueue("deliver", conversation);
  }
}
