import type { Exchange } from "../../core/exchange.ts";
import type { RunId } from "../../core/ids.ts";
import { NO_RIGHTS, type Rights } from "../../core/rights.ts";
import type { RunOutcome } from "../../core/run.ts";
import { agentOf } from "../../core/session-key.ts";
import type { TurnOutcome } from "../../core/turn.ts";
import { exchangeFromRow, inboxItemFromRow } from "../rows.ts";
import type { StepContext } from "../store.ts";
import { insertInput } from "./insert-input.ts";

/**
 * Part of the target's `end-turn`: the reply of a `sessions_send`, once (ST-21). While the sender still waits it is inline;
 * when the wait is over it comes as an input of the sender tied to the run id; never both, never "the latest text".
 */
export async function settleExchange(
  context: StepContext,
  runId: RunId,
  reply: { readonly outcome: TurnOutcome; readonly text: string | null; readonly error: string | null },
): Promise<void> {
  const { db, now } = context;
  const failed = reply.outcome !== "reply" && reply.outcome !== "silent" && reply.outcome !== "yielded";
  const outcome: RunOutcome = failed ? "error" : "ok";
  const ended = await db
    .updateTable("runs")
    .set({ state: "ended", outcome, result: reply.text, error: reply.error, ended_at: now })
    .where("id", "=", runId)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  if (ended.numUpdatedRows === 0n) return;
  const status = failed ? "error" : reply.text === null ? "no_reply" : "ok";
  const text = failed ? (reply.error ?? "the target's turn failed") : reply.text;
  const before = await db.selectFrom("exchanges").selectAll().where("run_id", "=", runId).executeTakeFirst();
  if (before === undefined) return;
  const exchange = exchangeFromRow(before);
  await db
    .updateTable("exchanges")
    .set({ state: exchange.state === "waiting" ? "replied" : "closed", reply: text, reply_status: status })
    .where("run_id", "=", runId)
    .execute();
  if (exchange.state !== "expired" || text === null) return;
  await insertInput(context, {
    key: `reply:${runId}`,
    sessionKey: exchange.from,
    payload: { kind: "inter_session", text, from: exchange.to, fromChannel: null, reply: true },
    provenance: { kind: "inter_session", from: exchange.to, agentId: agentOf(exchange.to), runId },
    route: exchange.route,
    rights: await lowerRightsOf(context, exchange),
    cause: `run ${runId}`,
  });
}

/**
 * What the message was asked with is the lower of both sides already, and the late reply works with it too: whoever speaks
 * through the target gets no more rights in the sender's session than they have (TN-14, FC-158).
 */
async function lowerRightsOf({ db }: StepContext, exchange: Exchange): Promise<Rights> {
  const asked = await db.selectFrom("inbox").selectAll().where("key", "=", `send:${exchange.runId}`).executeTakeFirst();
  return asked === undefined ? NO_RIGHTS : inboxItemFromRow(asked).rights;
}
