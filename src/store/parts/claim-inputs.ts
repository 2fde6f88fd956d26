import type { InboxItem } from "../../core/message/inbox-item.ts";
import type { NewMessage } from "../../core/message/transcript.ts";
import type { Session } from "../../core/session/session.ts";
import type { Turn } from "../../core/session/turn.ts";
import { defineStatement } from "../statement.ts";
import { insertMessages } from "../steps/turns/append-message.ts";
import type { StepContext } from "../store.ts";
import { noticesTaken } from "./watch.ts";

/** How an input reads in the transcript; made to the right of the store. */
export type ToMessage = (item: InboxItem) => NewMessage;

const claim = defineStatement((db, p: { readonly seq: number; readonly turnId: string }) =>
  db.updateTable("inbox").set({ state: "claimed", turn_id: p.turnId }).where("seq", "=", p.seq),
);

/** Part of a step: the inputs become messages of the turn, in order, and are claimed by it. */
export async function claimInputs(
  context: StepContext,
  input: {
    readonly turn: Pick<Turn, "id">;
    readonly session: Session;
    readonly items: readonly InboxItem[];
    readonly toMessage: ToMessage;
  },
): Promise<readonly NewMessage[]> {
  const { turn, session, items } = input;
  if (items.length === 0) return [];
  const messages = items.map(input.toMessage);
  await insertMessages(context, { sessionId: session.sessionId, sessionKey: session.key, turnId: turn.id }, messages);
  for (const { seq } of items) await claim.run(context.db, { seq, turnId: turn.id });
  await noticesTaken(
    context,
    items.flatMap(({ payload, provenance, key }) =>
      payload.kind === "notice" && provenance.kind === "system" && provenance.source === "watch" ? [key] : [],
    ),
  );
  return messages;
}
