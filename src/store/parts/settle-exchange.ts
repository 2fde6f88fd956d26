import type { RunId } from "../../core/ids.ts";
import type { InboxPayload } from "../../core/message/inbox-item.ts";
import { assertNever } from "../../core/runtime.ts";
import { NO_RIGHTS } from "../../core/session/rights.ts";
import type { Exchange, RunOutcome } from "../../core/session/run.ts";
import { agentOf } from "../../core/session/session-key.ts";
import type { TurnOutcome } from "../../core/session/turn.ts";
import { noLateReply, TARGET_FAILED } from "../../core/texts/agent/session-notices.ts";
import { exchangeFromRow } from "../rows.ts";
import type { StepContext } from "../store.ts";
import { goOn, isReset, sessionOf, setPhase, type TalkEnd } from "./exchange-talk.ts";
import { insertInput } from "./inputs.ts";

/** How the turn ended that an input of an exchange was given to; `dropped`: no turn will take it any more. */
export interface ExchangeTurnEnd {
  readonly outcome: TurnOutcome | "dropped";
  readonly text: string | null;
  readonly error: string | null;
}

/**
 * Part of the step that deals with an inter-session input: what it means for its exchange (ST-21, ST-24 … ST-26). All of it
 * is rows of that step's transaction, so the exchange goes on after a crash with the right turn, and no turn comes twice.
 */
export async function settleExchange(
  context: StepContext,
  input: { readonly runId: RunId; readonly payload: Extract<InboxPayload, { readonly kind: "inter_session" }> },
  end: ExchangeTurnEnd,
): Promise<void> {
  const { stage } = input.payload;
  switch (stage.kind) {
    case "message":
      return settleReply(context, input.runId, end);
    case "late_reply":
      return goOn(context, { runId: input.runId, phase: "late", round: 0 }, talkEnd(end));
    case "reply_back":
      return goOn(context, { runId: input.runId, phase: "reply_back", round: stage.turn }, talkEnd(end));
    case "announce":
      return goOn(context, { runId: input.runId, phase: "announce" }, { kind: "ended" });
    default:
      return assertNever(stage);
  }
}

function talkEnd({ outcome, text }: ExchangeTurnEnd): TalkEnd {
  // A stop or a kill ends the whole exchange; a turn that failed only ends the talk.
  if (outcome === "dropped" || outcome === "aborted") return { kind: "dropped" };
  return text === null || isFailure(outcome) ? { kind: "ended" } : { kind: "said", text };
}

function isFailure(outcome: ExchangeTurnEnd["outcome"]): boolean {
  return outcome !== "reply" && outcome !== "silent" && outcome !== "yielded";
}

/**
 * The target's first reply, once (ST-21). While the sender still waits it is inline; when the wait is over it comes as an
 * input of the sender tied to the run id; never both, never "the latest text".
 */
async function settleReply(context: StepContext, runId: RunId, end: ExchangeTurnEnd): Promise<void> {
  const { db, now } = context;
  const failed = isFailure(end.outcome);
  const outcome: RunOutcome = failed ? "error" : "ok";
  const ended = await db
    .updateTable("runs")
    .set({ state: "ended", outcome, result: end.text, error: end.error, ended_at: now })
    .where("id", "=", runId)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  if (ended.numUpdatedRows === 0n) return;
  const status = failed ? "error" : end.text === null ? "no_reply" : "ok";
  const text = failed ? (end.error ?? TARGET_FAILED) : end.text;
  const before = await db.selectFrom("exchanges").selectAll().where("run_id", "=", runId).executeTakeFirst();
  if (before === undefined) return;
  const exchange = exchangeFromRow(before);
  const asker = await askersTurn(context, exchange);
  const inline = exchange.state === "waiting" && asker === "open";
  await db
    .updateTable("exchanges")
    .set({ state: inline ? "replied" : "closed", reply: text, reply_status: status })
    .where("run_id", "=", runId)
    .execute();
  // Whoever was stopped or reset since asks for nothing any more (TN-8, CP-11).
  const wanted = !(exchange.state === "waiting" && asker === "stopped") && !(await isReset(context, exchange));
  const late = !inline && wanted && text !== null;
  if (late) await handOverLate(context, exchange, { text, failed });
  if (!inline && wanted && text === null) await tellNoReply(context, exchange);
  if (status === "ok" && (inline || late)) await setPhase(context, exchange, { phase: inline ? "answered" : "late" });
  else await setPhase(context, exchange, { phase: "over" });
}

async function askersTurn({ db }: StepContext, exchange: Exchange): Promise<"open" | "stopped" | "ended"> {
  const turn = await db
    .selectFrom("turns")
    .select(["ended_at", "outcome"])
    .where("id", "=", exchange.fromTurnId)
    .executeTakeFirst();
  if (turn === undefined) return "ended";
  if (turn.ended_at === null) return "open";
  return turn.outcome === "aborted" ? "stopped" : "ended";
}

async function handOverLate(
  context: StepContext,
  exchange: Exchange,
  { text, failed }: { readonly text: string; readonly failed: boolean },
): Promise<void> {
  const { runId, chain } = exchange;
  const { lastRoute, channel } = await sessionOf(context, exchange.to);
  await insertInput(context, {
    key: `reply:${runId}`,
    sessionKey: exchange.from,
    payload: {
      kind: "inter_session",
      text,
      from: exchange.to,
      fromChannel: lastRoute?.channel ?? channel,
      stage: failed ? { kind: "late_reply", failed } : { kind: "late_reply" },
      chain: { ...chain, hop: chain.hop + 1 },
    },
    provenance: { kind: "inter_session", from: exchange.to, agentId: agentOf(exchange.to), runId },
    route: exchange.route,
    // Whoever speaks through the target gets no more rights in the sender's session than they have (TN-14, FC-158).
    rights: exchange.rights,
    runId,
    cause: `run ${runId}`,
  });
}

/** FC-232: the sender was promised an end of its wait; silence starts no turn. */
async function tellNoReply(context: StepContext, { runId, from, to }: Exchange): Promise<void> {
  await insertInput(context, {
    key: `reply:${runId}`,
    sessionKey: from,
    payload: { kind: "notice", text: noLateReply(to, runId), wakes: false },
    provenance: { kind: "system", source: "sessions_send" },
    route: null,
    rights: NO_RIGHTS,
    cause: `run ${runId}`,
  });
}
