import { conversationKey, type NewDelivery, turnDeliveryKey } from "../../../core/delivery/delivery.ts";
import type { TurnId } from "../../../core/ids.ts";
import type { InboxItem } from "../../../core/message/inbox-item.ts";
import type { NewMessage } from "../../../core/message/transcript.ts";
import { turnTask } from "../../../core/message/turn-inputs.ts";
import { NO_RIGHTS } from "../../../core/session/rights.ts";
import type { RunOutcome } from "../../../core/session/run.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import type { Turn, TurnFence, TurnOutcome } from "../../../core/session/turn.ts";
import { turnFailed } from "../../../core/texts/agent/session-notices.ts";
import { COMPLETION, requesterTurnEnded } from "../../../core/texts/store/outcomes.ts";
import { closeTurn, consumeInputs } from "../../parts/close-turn.ts";
import { endRun, hasOpenChildren, releaseYield, settleCompletions } from "../../parts/end-run.ts";
import { insertInput } from "../../parts/inputs.ts";
import { killDescendants } from "../../parts/kill-runs.ts";
import { deletePreview, insertDeliveries } from "../../parts/outbox.ts";
import { insertFailure, type NewFailure } from "../../parts/record-failure.ts";
import { passFence } from "../../parts/sessions.ts";
import { settleExchange } from "../../parts/settle-exchange.ts";
import { countUsage, insertMessages } from "../../parts/transcript.ts";
import { deliveryFromRow, runFromRow } from "../../rows.ts";
import { defineStatement } from "../../statement.ts";
import { defineStep, type StepContext } from "../../store.ts";

export interface EndTurnInput extends TurnFence {
  readonly outcome: TurnOutcome;
  readonly error: string | null;
  /** The final assistant message, when it was not stored before. */
  readonly message: NewMessage | null;
  /** What people are to see of it, in order; empty when silent. */
  readonly deliveries: readonly NewDelivery[];
  /** The turn's visible text, for a run's result and an exchange's reply; null: silent. */
  readonly text: string | null;
  readonly yielded: { readonly wait: "all" | "each"; readonly note: string | null } | null;
  readonly failure: NewFailure | null;
  readonly archiveAfterMs: number | null;
}

const waitingInput = defineStatement((db, p: { readonly sessionKey: SessionKey }) =>
  db
    .selectFrom("inbox")
    .select("seq")
    .where("session_key", "=", p.sessionKey)
    .where("settled_at", "is", null)
    .where("state", "=", "waiting")
    .limit(1),
);

/** The end of a turn, all of it in one transaction: outcome, inputs, outgoing messages, runs, completions, exchanges. */
export const endTurn = defineStep("end-turn", "normal", async (context, input: EndTurnInput): Promise<void> => {
  const turn = await passFence(context, input);
  if (input.message !== null) {
    await insertMessages(context, { sessionId: turn.sessionId, sessionKey: turn.sessionKey, turnId: turn.id }, [
      input.message,
    ]);
    await countUsage(context, turn, input.message);
  }
  await closeTurn(context, turn, input);
  const items = await consumeInputs(context, turn.id);
  await insertDeliveries(context, {
    deliveries: await withoutSaid(context, { id: turn.id, items, deliveries: input.deliveries }),
    sessionKey: turn.sessionKey,
    turnId: turn.id,
    runId: turn.runId,
  });
  // A delivery at position 0 has become the preview's final content; a preview that is still one was for nothing.
  const shown = turnDeliveryKey(turn.id, 0);
  if (input.deliveries.every((delivery) => delivery.key !== shown)) await deletePreview(context, turn.id);
  await settleItems(context, items, input);
  if (turnTask(turn.sessionKey) === "child-turn") await settleOwnRun(context, turn, input);
  if (input.yielded !== null) await noteYield(context, turn.sessionKey, input.yielded);
  if (input.failure !== null) {
    await insertFailure(context, input.failure);
    // The agent sees on its next turn what people were told (TN-16).
    await insertInput(context, {
      key: `turn-failed:${turn.id}`,
      sessionKey: turn.sessionKey,
      payload: { kind: "notice", text: turnFailed(input.error ?? input.outcome), wakes: false },
      provenance: { kind: "system", source: "turn" },
      route: null,
      rights: NO_RIGHTS,
      cause: turn.id,
    });
  }
  await wakeForRest(context, turn.sessionKey);
});

async function settleItems(context: StepContext, items: readonly InboxItem[], input: EndTurnInput): Promise<void> {
  const runIds = items.flatMap((item) => (item.payload.kind === "completion" ? item.payload.runIds : []));
  if (runIds.length > 0) await settleCompletions(context, runIds, completionState(input));
  for (const item of items) {
    const { payload, runId } = item;
    if (payload.kind === "inter_session" && runId !== null) await settleExchange(context, { runId, payload }, input);
  }
}

function completionState({ outcome, error }: EndTurnInput): {
  state: "delivered" | "silent" | "failed";
  reason: string | null;
} {
  switch (outcome) {
    case "reply":
    case "yielded":
      return { state: "delivered", reason: null };
    case "silent":
      return { state: "silent", reason: COMPLETION.requesterSilent };
    default:
      return { state: "failed", reason: error ?? requesterTurnEnded(outcome) };
  }
}

/** CP-2: the child's run ends with the first turn that leaves no open child and no waiting input; until then it waits. */
async function settleOwnRun(context: StepContext, turn: Turn, input: EndTurnInput): Promise<void> {
  const { db } = context;
  const row = await db
    .selectFrom("runs")
    .selectAll()
    .where("session_key", "=", turn.sessionKey)
    .where("kind", "=", "spawn")
    .where("ended_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) return;
  const outcome = runOutcome(input.outcome);
  if (
    outcome === "ok" &&
    ((await hasOpenChildren(db, turn.sessionKey)) || (await hasWaitingWork(context, turn.sessionKey)))
  ) {
    await db.updateTable("runs").set({ state: "waiting" }).where("id", "=", row.id).execute();
    return;
  }
  // What a run starts, its end closes: children of a failed run have no one to report to.
  if (outcome !== "ok")
    await killDescendants(context, turn.sessionKey, { silent: true, archiveAfterMs: input.archiveAfterMs });
  await endRun(context, runFromRow(row), {
    outcome,
    result: outcome === "ok" ? input.text : null,
    error: outcome === "ok" ? null : input.error,
    silent: false,
    archiveAfterMs: input.archiveAfterMs,
  });
}

function runOutcome(outcome: TurnOutcome): RunOutcome {
  switch (outcome) {
    case "reply":
    case "silent":
    case "yielded":
      return "ok";
    case "error":
    case "timeout":
      return outcome;
    case "aborted":
      return "killed";
    case "interrupted":
      return "lost";
  }
}

async function hasWaitingWork({ db }: StepContext, sessionKey: SessionKey): Promise<boolean> {
  const row = await db
    .selectFrom("inbox")
    .select("seq")
    .where("session_key", "=", sessionKey)
    .where("settled_at", "is", null)
    .where("state", "in", ["waiting", "held"])
    .where("kind", "in", ["task", "steer", "completion"])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function noteYield(
  context: StepContext,
  sessionKey: SessionKey,
  yielded: NonNullable<EndTurnInput["yielded"]>,
): Promise<void> {
  await context.db
    .updateTable("sessions")
    .set({ yield_wait: yielded.wait, yield_note: yielded.note })
    .where("key", "=", sessionKey)
    .execute();
  if (yielded.wait === "all") {
    // Completions that came in during the turn wait with the others, unless the last one is already among them.
    await context.db
      .updateTable("inbox")
      .set({ state: "held" })
      .where("session_key", "=", sessionKey)
      .where("kind", "=", "completion")
      .where("settled_at", "is", null)
      .where("state", "=", "waiting")
      .execute();
  }
  await releaseYield(context, sessionKey);
}

async function wakeForRest({ db, enqueue }: StepContext, sessionKey: SessionKey): Promise<void> {
  const rest = await waitingInput.first(db, { sessionKey });
  if (rest !== undefined) enqueue(turnTask(sessionKey), sessionKey);
}

/**
 * Part of the end of a turn: an announcement whose very text the turn has sent to that conversation by itself is not sent a
 * second time (ST-25). Other turns answer as they like.
 */
async function withoutSaid(
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
