import type { Route } from "../../../core/delivery/delivery.ts";
import { operatorRoute } from "../../../core/delivery/delivery.ts";
import type { AgentId } from "../../../core/ids.ts";
import type { InboxPayload } from "../../../core/message/inbox-item.ts";
import { OPERATOR_RIGHTS } from "../../../core/session/rights.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { boundRoute } from "../../parts/bind.ts";
import { insertInput } from "../../parts/inputs.ts";
import { noteDirectMessage } from "../../parts/session-log.ts";
import { ensureSession } from "../../parts/sessions.ts";
import { sessionFromRow } from "../../rows.ts";
import { defineStep } from "../../store.ts";

export interface OperatorSend {
  readonly key: SessionKey;
  readonly text: string;
  /** Unique per send: a repeated one is the same input. */
  readonly id: string;
  /** Set for an agent's main session, which exists without having been used (SK-6): then it is created. */
  readonly createFor: AgentId | null;
}

/**
 * The operator's words from the command line as an input of a session, with the operator's rights; the answer goes to the
 * session's last route, else nowhere (TN-15). The last route itself stays as it is (IN-16). null: no such session.
 */
export const operatorSend = defineStep(
  "operator-send",
  "full",
  async (context, input: OperatorSend): Promise<{ readonly inboxSeq: number; readonly route: Route | null } | null> => {
    const { db, now } = context;
    const row = await db.selectFrom("sessions").selectAll().where("key", "=", input.key).executeTakeFirst();
    const created =
      row !== undefined || input.createFor === null
        ? null
        : await ensureSession(context, { key: input.key, agentId: input.createFor, channel: null, originRoute: null });
    const session = row === undefined ? created : sessionFromRow(row);
    if (session === null) return null;
    const inboxKey = `operator:${input.id}`;
    const route = operatorRoute({
      boundRoute: await boundRoute(context, input.key),
      lastRoute: session.lastRoute,
    });
    const seq = await insertInput(context, {
      key: inboxKey,
      sessionKey: input.key,
      payload: payloadOf(input, now),
      provenance: { kind: "human", sender: SENDER, senderName: SENDER_NAME, messageId: null },
      route,
      rights: OPERATOR_RIGHTS,
      cause: inboxKey,
    });
    if (seq !== null) {
      if (session.watched) {
        await noteDirectMessage(context, { sessionKey: input.key, actor: SENDER.id, channel: SENDER.channel });
      }
      return { inboxSeq: seq, route };
    }
    const known = await db.selectFrom("inbox").select("seq").where("key", "=", inboxKey).executeTakeFirstOrThrow();
    return { inboxSeq: known.seq, route };
  },
);

const SENDER_NAME = "Operator";
const SENDER = { channel: "cli", accountId: "default", id: "operator" };

function payloadOf(input: OperatorSend, now: number): InboxPayload {
  return {
    kind: "event",
    text: input.text,
    senderName: SENDER_NAME,
    senderId: SENDER.id,
    messageId: input.id,
    conversationLabel: null,
    sentAt: now,
    reply: null,
    attachments: [],
    attachmentNotes: [],
    context: [],
    directives: { thinking: null },
    plain: true,
  };
}
