import type { NewDelivery } from "../../../core/delivery/delivery.ts";
import { conversationKey } from "../../../core/delivery/delivery.ts";
import type { RunId } from "../../../core/ids.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import type { TurnFence } from "../../../core/session/turn.ts";
import { blankRow } from "../../parts/outbox.ts";
import { defineStep } from "../../store.ts";

export interface PreviewStart {
  readonly fence: TurnFence;
  readonly sessionKey: SessionKey;
  readonly runId: RunId | null;
  /** Position 0 of the turn: the end of the turn sets the final content under the same key. */
  readonly delivery: NewDelivery;
}

/**
 * Writes the outbox row of a streaming preview before its first send (TN-11). Returns false, and writes nothing, when the
 * turn has ended or another process has taken it: then its end has already decided what people see. A row that is there
 * from before a restart stays as it is.
 */
export const beginPreview = defineStep("begin-preview", "normal", async ({ db, now, enqueue }, input: PreviewStart) => {
  const turn = await db
    .selectFrom("turns")
    .select("id")
    .where("id", "=", input.fence.turnId)
    .where("fence", "=", input.fence.fence)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  if (turn === undefined) return false;
  const { key, route, content } = input.delivery;
  const conversation = conversationKey(route);
  await db
    .insertInto("deliveries")
    .values({
      ...blankRow(now),
      preview: 1,
      key,
      conversation,
      channel: route.channel,
      account_id: route.accountId,
      route_json: JSON.stringify(route),
      content_json: JSON.stringify(content),
      session_key: input.sessionKey,
      turn_id: input.fence.turnId,
      run_id: input.runId,
    })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .execute();
  enqueue("deliver", conversation);
  return true;
});
