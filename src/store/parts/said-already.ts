import type { NewDelivery } from "../../core/delivery/delivery.ts";
import { conversationKey } from "../../core/delivery/route.ts";
import type { TurnId } from "../../core/ids.ts";
import type { InboxItem } from "../../core/message/inbox-item.ts";
import { deliveryFromRow } from "../rows.ts";
import type { StepContext } from "../store.ts";

/**
 * Part of the end of a turn: an announcement whose very text the turn has sent to that conversation by itself is not sent a
 * second time (ST-25). Other turns answer as they like.
 */
export async function withoutSaid(
  { db }: StepContext,
  turn: { readonly id: TurnId; readonly items: readonly InboxItem[]; readonly deliveries: readonly NewDelivery[] },
): Promise<readonly NewDelivery[]> {
  const announces = turn.items.some(
    ({ payload }) => payload.kind === "inter_session" && payload.stage.kind === "announce",
  );
  if (!announces || turn.deliveries.length === 0) return turn.deliveries;
  const keys = turn.deliveries.map(({ key }) => key);
  const rows = await db
    .selectFrom("deliveries")
    .selectAll()
    .where("turn_id", "=", turn.id)
    // A preview of it becomes its final content.
    .where("key", "not in", keys)
    .where("state", "in", ["pending", "sending", "sent", "unconfirmed"])
    .execute();
  const said = rows.map(deliveryFromRow).map(wordsOf);
  return turn.deliveries.filter((delivery) => {
    const words = wordsOf(delivery);
    return words === null || !said.includes(words);
  });
}

/** Where and what, in one text; null: no words, which is never the same twice. */
function wordsOf({ route, content }: Pick<NewDelivery, "route" | "content">): string | null {
  return content.kind === "message" ? `${conversationKey(route)}\n${content.piece.plain}` : null;
}
