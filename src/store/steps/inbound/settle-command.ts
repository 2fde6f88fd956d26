import type { NewDelivery } from "../../../core/delivery/delivery.ts";
import { turnTask } from "../../../core/message/turn-inputs.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { insertDeliveries } from "../../parts/outbox.ts";
import { startsTurns } from "../../reads/inbound/inbox.ts";
import { defineStep } from "../../store.ts";

/** A command ran: its answer goes into the outbox and its input is consumed, in one transaction (CM-2). */
export const settleCommand = defineStep(
  "settle-command",
  "normal",
  async (
    context,
    input: { readonly key: string; readonly sessionKey: SessionKey; readonly deliveries: readonly NewDelivery[] },
  ): Promise<void> => {
    const { db, now, enqueue } = context;
    await insertDeliveries(context, {
      deliveries: input.deliveries,
      sessionKey: input.sessionKey,
      turnId: null,
      runId: null,
    });
    await db
      .updateTable("inbox")
      .set({ state: "consumed", settled_at: now })
      .where("key", "=", input.key)
      .where("settled_at", "is", null)
      .execute();
    const waiting = await db
      .selectFrom("inbox")
      .select("seq")
      .where("session_key", "=", input.sessionKey)
      .where("settled_at", "is", null)
      .where("state", "=", "waiting")
      .where((eb) => startsTurns(eb))
      .limit(1)
      .executeTakeFirst();
    // What was written after a command waits for it, see `beforeCommand`.
    if (waiting !== undefined) enqueue(turnTask(input.sessionKey), input.sessionKey);
  },
);
