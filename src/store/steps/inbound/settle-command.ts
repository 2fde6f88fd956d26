import type { NewDelivery } from "../../../core/delivery/delivery.ts";
import { turnTask } from "../../../core/message/turn-inputs.ts";
import { agentOf, type SessionKey } from "../../../core/session/session-key.ts";
import { insertInput } from "../../parts/inputs.ts";
import { insertDeliveries } from "../../parts/outbox.ts";
import { ensureSession } from "../../parts/sessions.ts";
import { startsTurns } from "../../reads/inbound/inbox.ts";
import { inboxItemFromRow } from "../../rows.ts";
import { defineStep, type StepContext } from "../../store.ts";

/** A command ran: its answer goes into the outbox and its input is consumed, in one transaction (CM-2). */
export const settleCommand = defineStep(
  "settle-command",
  "normal",
  async (
    context,
    input: {
      readonly key: string;
      readonly sessionKey: SessionKey;
      readonly deliveries: readonly NewDelivery[];
      /** IN-18: the rule by which it did not run, since its sender may not write here any more; null: it ran. */
      readonly refused: string | null;
      /** What its sender wrote behind it for the agent; empty: nothing. */
      readonly words: string;
    },
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
    if (input.refused !== null) {
      await db
        .updateTable("inbound_events")
        .set({ result: "refused", rule: input.refused })
        .where("identity", "=", input.key)
        .execute();
    }
    if (input.words !== "") await insertWords(context, input);
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

/** FC-211: the words behind a command are a message of its sender, with the same route and rights. */
async function insertWords(
  context: StepContext,
  { key, words }: { readonly key: string; readonly words: string },
): Promise<void> {
  const row = await context.db.selectFrom("inbox").selectAll().where("key", "=", key).executeTakeFirst();
  if (row === undefined) return;
  const { sessionKey, payload, route, rights, provenance } = inboxItemFromRow(row);
  if (payload.kind !== "command") return;
  const { senderName, senderId, messageId, sentAt, admission } = payload;
  const channel = route?.channel ?? null;
  await ensureSession(context, { key: sessionKey, agentId: agentOf(sessionKey), channel, originRoute: route });
  await insertInput(context, {
    key: `${key}:words`,
    sessionKey,
    payload: {
      kind: "event",
      text: words,
      senderName,
      senderId,
      messageId,
      conversationLabel: null,
      sentAt,
      reply: null,
      attachments: [],
      attachmentNotes: [],
      context: [],
      directives: { thinking: null },
      plain: false,
      ...(admission === undefined ? {} : { admission }),
    },
    provenance,
    route,
    rights,
    cause: key,
  });
}
