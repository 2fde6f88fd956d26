import type { InboxItem } from "../../core/message/inbox-item.ts";
import type { MessagePart, NewMessage } from "../../core/message/transcript.ts";
import type { Turn, TurnOutcome } from "../../core/session/turn.ts";
import { CHAIN_STOPPED, TARGET_STOPPED, UNANSWERED } from "../../core/texts/agent/session-notices.ts";
import { inboxItemFromRow, messageFromRow } from "../rows.ts";
import { defineStatement } from "../statement.ts";
import type { StepContext } from "../store.ts";
import { settleCompletions } from "./end-run.ts";
import { goOnAfterTurn } from "./exchange-talk.ts";
import { deletePreview, withdrawUnsent } from "./outbox.ts";
import { settleExchange } from "./settle-exchange.ts";
import { insertMessages } from "./transcript.ts";

const close = defineStatement(
  (
    db,
    p: { readonly id: string; readonly outcome: TurnOutcome; readonly error: string | null; readonly now: number },
  ) =>
    db
      .updateTable("turns")
      .set({ outcome: p.outcome, error: p.error, ended_at: p.now })
      .where("id", "=", p.id)
      .where("ended_at", "is", null),
);

const consume = defineStatement((db, p: { readonly turnId: string; readonly now: number }) =>
  db
    .updateTable("inbox")
    .set({ state: "consumed", settled_at: p.now })
    .where("turn_id", "=", p.turnId)
    .where("state", "=", "claimed")
    .returningAll(),
);

/**
 * Part of a step: sets a turn's terminal state once (TN-15). Returns false when it had one. Calls that have no result get
 * one that says why, so that the transcript stays whole for the next turn (TN-2, TN-8).
 */
export async function closeTurn(
  context: StepContext,
  turn: Pick<Turn, "id" | "sessionId" | "sessionKey">,
  end: { readonly outcome: TurnOutcome; readonly error: string | null },
): Promise<boolean> {
  const { db, now } = context;
  const closed = await close.run(db, { id: turn.id, outcome: end.outcome, error: end.error, now });
  if (closed === 0) return false;
  if (end.outcome !== "reply" && end.outcome !== "silent") {
    await answerOpenCalls(context, turn, end.outcome === "aborted" ? "aborted" : "interrupted");
  }
  await goOnAfterTurn(context, turn.id, end.outcome);
  return true;
}

/** Part of a step: aborts a session's open turn from outside: its runner finds itself fenced and writes no more (TN-8). */
export async function abortOpenTurn(
  context: StepContext,
  sessionKey: string,
  why: keyof typeof UNANSWERED = "stopped",
): Promise<boolean> {
  const { db } = context;
  const row = await db
    .selectFrom("turns")
    .selectAll()
    .where("session_key", "=", sessionKey)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) return false;
  const turn = { id: row.id, sessionId: row.session_id, sessionKey: row.session_key as Turn["sessionKey"] };
  await closeTurn(context, turn, { outcome: "aborted", error: null });
  const unanswered: NewMessage = {
    role: "assistant",
    parts: [{ type: "text", text: UNANSWERED[why] }],
    provenance: { kind: "system", source: "stop" },
    usage: null,
  };
  await insertMessages(context, { ...turn, turnId: turn.id }, [unanswered]);
  await settleDropped(context, await consumeInputs(context, row.id), why);
  await deletePreview(context, row.id);
  await withdrawUnsent(context, { turnId: row.id, reason: why });
  return true;
}

/** Part of a step: the turn's inputs were dealt with; returns them, oldest first. */
export async function consumeInputs({ db, now }: StepContext, turnId: string): Promise<readonly InboxItem[]> {
  const rows = await consume.all(db, { turnId, now });
  return rows.map(inboxItemFromRow).sort((a, b) => a.seq - b.seq);
}

async function answerOpenCalls(
  context: StepContext,
  turn: Pick<Turn, "id" | "sessionId" | "sessionKey">,
  status: string,
): Promise<void> {
  const rows = await context.db
    .selectFrom("messages")
    .selectAll()
    .where("session_id", "=", turn.sessionId)
    .where("turn_id", "=", turn.id)
    .orderBy("seq")
    .execute();
  const parts = rows.flatMap((row) => messageFromRow(row).parts);
  const answered = new Set(parts.filter((part) => part.type === "tool_result").map((part) => part.callId));
  const open = parts.filter((part) => part.type === "tool_call" && !answered.has(part.callId));
  await insertMessages(
    context,
    { ...turn, turnId: turn.id },
    open.flatMap((part) => (part.type === "tool_call" ? [resultMessage(part, status)] : [])),
  );
}

function resultMessage(call: Extract<MessagePart, { type: "tool_call" }>, status: string): NewMessage {
  return {
    role: "tool",
    parts: [{ type: "tool_result", callId: call.callId, name: call.name, result: { status }, isError: true }],
    provenance: { kind: "tool", tool: call.name },
    usage: null,
  };
}

/**
 * Part of a step: settles inputs that no turn will process. A session that waits for a reply learns that none will come
 * (FC-020); without this it would wait until its timeout. A result is listed as silent and starts no turn (TN-8, CP-11).
 */
export async function settleDropped(
  context: StepContext,
  items: readonly Pick<InboxItem, "payload" | "runId">[],
  reason: string,
): Promise<void> {
  const error = reason === CHAIN_STOPPED ? CHAIN_STOPPED : TARGET_STOPPED;
  for (const { payload, runId } of items) {
    if (payload.kind === "completion") {
      await settleCompletions(context, payload.runIds, { state: "silent", reason });
    }
    if (payload.kind !== "inter_session" || runId === null) continue;
    await settleExchange(context, { runId, payload }, { outcome: "dropped", text: null, error });
  }
}
