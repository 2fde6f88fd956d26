import { completionRoute, conversationKey, type Route } from "../../core/delivery/delivery.ts";
import type { RunId } from "../../core/ids.ts";
import type { InboxPayload } from "../../core/message/inbox-item.ts";
import { turnTask } from "../../core/message/turn-inputs.ts";
import type { Run, RunOutcome } from "../../core/session/run.ts";
import type { Session } from "../../core/session/session.ts";
import type { SessionKey } from "../../core/session/session-key.ts";
import { runEnded } from "../../core/texts/agent/session-notices.ts";
import { completionText } from "../../core/texts/chat/completion-text.ts";
import { COMPLETION, resultLost } from "../../core/texts/store/outcomes.ts";
import { runFromRow, sessionFromRow } from "../rows.ts";
import type { StepContext } from "../store.ts";
import { boundRoute } from "./bind.ts";
import { endBinding, openBindings } from "./end-binding.ts";
import { insertInput } from "./inputs.ts";
import { insertFailure } from "./record-failure.ts";
import { logStateEvent } from "./session-log.ts";

export interface RunEnd {
  readonly outcome: RunOutcome;
  readonly result: string | null;
  readonly error: string | null;
  /** Ended by a person's stop or reset: listed, without waking a session (TN-8). */
  readonly silent: boolean;
  /** When its sub-agent's session is archived; null: never. */
  readonly archiveAfterMs: number | null;
}

/**
 * Part of a step: ends a run once (compare-and-set) and makes its one completion (CP-2). Returns false when it had ended
 * before; then nothing happens, so a kill that races with an end makes no second completion.
 */
export async function endRun(context: StepContext, run: Run, end: RunEnd): Promise<boolean> {
  const { db, now, enqueue } = context;
  const child = await db.selectFrom("sessions").selectAll().where("key", "=", run.sessionKey).executeTakeFirst();
  const tokens = { input_tokens: child?.input_tokens ?? 0, output_tokens: child?.output_tokens ?? 0 };
  const ended = await db
    .updateTable("runs")
    .set({ state: "ended", outcome: end.outcome, result: end.result, error: end.error, ended_at: now, ...tokens })
    .where("id", "=", run.id)
    .where("ended_at", "is", null)
    .returningAll()
    .executeTakeFirst();
  if (ended === undefined) return false;
  await db.deleteFrom("timers").where("task", "=", "run-timeout").where("key", "=", run.id).execute();
  // A thread for a run that is over already is not made, or told so when it is (TB-7).
  for (const binding of await openBindings(context, { sessionKey: run.sessionKey })) {
    const over = { why: "run_ended", actorType: "system", actor: run.sessionKey, farewell: false } as const;
    if (binding.state === "pending" && binding.runId === run.id) await endBinding(context, binding, over);
  }
  // The timer waits for the completion to be settled, and is brought forward then.
  if (run.cleanup === "delete") enqueue("archive", run.sessionKey, now + 1);
  else if (end.archiveAfterMs !== null && run.mode === "run")
    enqueue("archive", run.sessionKey, now + end.archiveAfterMs);
  await oweCompletion(context, runFromRow(ended), end);
  return true;
}

async function oweCompletion(context: StepContext, run: Run, end: RunEnd): Promise<void> {
  const { db, now } = context;
  const requester = await livingRequester(context, run.wake.key);
  const inThread = run.completionTarget === "thread" && (await boundRoute(context, run.sessionKey)) !== null;
  const settled = settledAtOnce(run, requester, { ...end, inThread });
  await db
    .insertInto("completions")
    .values({
      run_id: run.id,
      requester: requester?.key ?? run.wake.key,
      state: settled?.state ?? "owed",
      reason: settled?.reason ?? null,
      held: 0,
      inbox_seq: null,
      created_at: now,
      settled_at: settled === null ? null : now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  if (requester === null) {
    const message = resultLost(run.label ?? run.sessionKey);
    await insertFailure(context, { kind: "completion", subject: run.id, sessionKey: run.wake.key, message });
    return;
  }
  await logStateEvent(context, {
    sessionKey: requester.key,
    kind: end.outcome === "ok" ? "run_completed" : "run_failed",
    actorType: "agent",
    actor: run.sessionKey,
    runId: run.id,
    summary: runEnded(run.label ?? run.sessionKey, end.outcome),
    payload: { outcome: end.outcome, turns: await turnsOf(context, run.sessionKey) },
  });
  const { outcome } = end;
  if (settled === null) await handOver(context, run, { requester, outcome, key: `completion:${run.id}`, endedAt: now });
  else await releaseYield(context, requester.key);
}

async function turnsOf({ db }: StepContext, sessionKey: SessionKey): Promise<number> {
  const row = await db
    .selectFrom("turns")
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .where("session_key", "=", sessionKey)
    .executeTakeFirst();
  return Number(row?.n ?? 0);
}

function settledAtOnce(
  run: Run,
  requester: Session | null,
  end: RunEnd & { readonly inThread: boolean },
): { state: "silent" | "failed"; reason: string } | null {
  if (end.silent) return { state: "silent", reason: COMPLETION.stopped };
  // Without its thread no one would read how it ended (TB-1, TB-2).
  if (end.inThread) return { state: "silent", reason: COMPLETION.inThread };
  if (!run.expectsCompletion) return { state: "silent", reason: COMPLETION.notRequested };
  if (requester === null) return { state: "failed", reason: COMPLETION.requesterGone };
  // Reset by a person since: the new life did not ask for it (CP-11).
  if (requester.key === run.wake.key && requester.sessionId !== run.wake.sessionId)
    return { state: "silent", reason: COMPLETION.requesterReset };
  return null;
}

/** The requester, or if it no longer exists its nearest ancestor that does (CP-6). */
export async function livingRequester({ db }: StepContext, key: SessionKey): Promise<Session | null> {
  let current: string | null = key;
  // Bounded by the deepest nesting there can be; a cycle cannot arise, but must not hang a step either.
  for (let depth = 0; current !== null && depth < 10; depth += 1) {
    const row = await db.selectFrom("sessions").selectAll().where("key", "=", current).executeTakeFirst();
    if (row !== undefined) return sessionFromRow(row);
    const up = await db
      .selectFrom("runs")
      .select("wake_key")
      .where("session_key", "=", current)
      .where("kind", "=", "spawn")
      .executeTakeFirst();
    current = up?.wake_key ?? null;
  }
  return null;
}

/** Part of a step: the completion becomes an input of the requester, once per key (CP-2). */
export async function handOver(
  context: StepContext,
  run: Run,
  to: { readonly requester: Session; readonly outcome: RunOutcome; readonly key: string; readonly endedAt: number },
): Promise<void> {
  const { db } = context;
  const { requester, outcome, key, endedAt } = to;
  const payload: InboxPayload = {
    kind: "completion",
    runIds: [run.id],
    text: completionText(run, {
      outcome,
      runtimeMs: endedAt - (run.startedAt ?? run.createdAt),
      inputTokens: run.inputTokens,
      outputTokens: run.outputTokens,
    }),
    from: run.sessionKey,
    chain: run.chain,
  };
  const seq = await insertInput(context, {
    key,
    sessionKey: requester.key,
    state: requester.yieldWait === "all" ? "held" : "waiting",
    payload,
    provenance: { kind: "completion", from: run.sessionKey, runId: run.id },
    route: await routeOf(context, run, requester),
    rights: run.rights,
    cause: `run ${run.id}`,
  });
  await db
    .updateTable("completions")
    .set({ inbox_seq: seq, requester: requester.key })
    .where("run_id", "=", run.id)
    .execute();
  if (requester.archivedAt !== null)
    await db.updateTable("sessions").set({ archived_at: null }).where("key", "=", requester.key).execute();
  if (requester.yieldWait === "all") await releaseYield(context, requester.key);
}

/** CP-4. A sub-agent gets it inside (CP-6), unless it has its own conversation. */
async function routeOf(context: StepContext, run: Run, requester: Session): Promise<Route | null> {
  if (run.completionTarget === "parent") return null;
  const bound = await boundRoute(context, requester.key);
  if (requester.depth > 0) return bound;
  const route = completionRoute({
    boundRoute: bound,
    spawnRoute: run.route,
    requesterLastRoute: requester.lastRoute,
  });
  return route === null || (await isOwnPlace(context, route, requester.key)) ? route : { ...route, threadId: null };
}

/** TB-3: where another session is bound meanwhile, nothing else answers; the conversation around it is left. */
async function isOwnPlace(context: StepContext, route: Route, sessionKey: SessionKey): Promise<boolean> {
  if (route.threadId === null) return true;
  const bound = await openBindings(context, { conversation: conversationKey(route) });
  return bound.every((binding) => binding.state !== "active" || binding.sessionKey === sessionKey);
}

/** Ends a yield when no child of the session that owes a completion is open any more: what was held is handed over together (CP-8). */
export async function releaseYield({ db, enqueue }: StepContext, sessionKey: SessionKey): Promise<void> {
  if (await hasOpenChildren(db, sessionKey)) return;
  await db
    .updateTable("sessions")
    .set({ yield_wait: null })
    .where("key", "=", sessionKey)
    .where("yield_wait", "is not", null)
    .execute();
  await db
    .updateTable("inbox")
    .set({ state: "waiting" })
    .where("session_key", "=", sessionKey)
    .where("kind", "=", "completion")
    .where("settled_at", "is", null)
    .where("state", "=", "held")
    .execute();
  enqueue(turnTask(sessionKey), sessionKey);
}

/** Children that still owe a completion: what a yield waits for and what keeps a run `waiting` (CP-2, CP-8). */
export async function hasOpenChildren(db: StepContext["db"], sessionKey: SessionKey): Promise<boolean> {
  const row = await db
    .selectFrom("runs")
    .select("id")
    .where("wake_key", "=", sessionKey)
    .where("ended_at", "is", null)
    .where("kind", "=", "spawn")
    .where("expects_completion", "=", 1)
    .where("completion_target", "<>", "thread")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Part of a step: records the outcome of completions when their requester's turn ends (CP-2, CP-5). */
export async function settleCompletions(
  { db, now, enqueue }: StepContext,
  runIds: readonly RunId[],
  settled: { readonly state: "delivered" | "silent" | "failed"; readonly reason: string | null },
): Promise<void> {
  if (runIds.length === 0) return;
  await db
    .updateTable("completions")
    .set({ state: settled.state, reason: settled.reason, settled_at: now })
    .where("run_id", "in", [...runIds])
    .where("state", "=", "owed")
    .execute();
  const toDelete = await db
    .selectFrom("runs")
    .select("session_key")
    .where("id", "in", [...runIds])
    .where("cleanup", "=", "delete")
    .execute();
  for (const run of toDelete) enqueue("archive", run.session_key, now + 1);
}
