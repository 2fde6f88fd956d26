import { chainOfInput, type InboxItem } from "../../core/message/inbox-item.ts";
import type { ChainLimits, ChainStop } from "../../core/session/chain.ts";
import type { Session } from "../../core/session/session.ts";
import type { SessionKey } from "../../core/session/session-key.ts";
import { CHAIN_STOPPED } from "../../core/texts/agent/session-notices.ts";
import { inboxItemFromRow, runFromRow, turnFromRow } from "../rows.ts";
import type { StepContext } from "../store.ts";
import { markStopped, stoppedAmong, usesOf } from "./chains.ts";
import { abortOpenTurn, settleDropped } from "./close-turn.ts";
import { endRun } from "./end-run.ts";
import { type Killed, type KillOptions, killDescendants, killOne } from "./kill-runs.ts";

/** A chain that was found at its end, for the log. */
export interface StoppedChain {
  readonly id: string;
  readonly by: ChainStop;
}

/**
 * Part of a step: what waits for a session without what belongs to a chain that may go no further (ST-28). That is settled: who waits for
 * a reply learns that none comes, and a sub-agent of the chain ends. Nobody is woken by it.
 */
export async function withoutStopped(
  context: StepContext,
  session: Session,
  items: readonly InboxItem[],
  limits: ChainLimits,
): Promise<{ readonly items: readonly InboxItem[]; readonly stopped: readonly StoppedChain[] }> {
  const ids = items.flatMap(({ payload }) => chainOfInput(payload)?.id ?? []);
  if (ids.length === 0) return { items, stopped: [] };
  const stopped = await stoppedAmong(context, ids, limits);
  if (stopped.size === 0) return { items, stopped: [] };
  const isOver = ({ payload }: InboxItem): boolean => stopped.has(chainOfInput(payload)?.id ?? "");
  await drop(context, items.filter(isOver), CHAIN_STOPPED);
  await endOwnRun(context, session.key, new Set(stopped.keys()));
  return { items: items.filter((item) => !isOver(item)), stopped: [...stopped].map(([id, by]) => ({ id, by })) };
}

async function drop(context: StepContext, items: readonly InboxItem[], reason: string): Promise<void> {
  const { db, now } = context;
  if (items.length === 0) return;
  await db
    .updateTable("inbox")
    .set({ state: "withdrawn", settled_at: now })
    .where(
      "seq",
      "in",
      items.map(({ seq }) => seq),
    )
    .execute();
  await settleDropped(context, items, reason);
}

/** A sub-agent whose task or results are dropped would wait for ever, and so would the one above it that waits for its result. */
async function endOwnRun(context: StepContext, key: SessionKey, chains: ReadonlySet<string>): Promise<void> {
  const row = await context.db
    .selectFrom("runs")
    .selectAll()
    .where("session_key", "=", key)
    .where("kind", "=", "spawn")
    .where("ended_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) return;
  const run = runFromRow(row);
  if (run.chain === null || !chains.has(run.chain.id)) return;
  await killDescendants(context, key, SILENTLY);
  await endRun(context, run, { ...SILENTLY, outcome: "error", result: null, error: CHAIN_STOPPED });
  const above = await context.db
    .selectFrom("turns")
    .select("id")
    .where("session_key", "=", run.wake.key)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  // One that works on finds out by itself.
  if (above === undefined) await endOwnRun(context, run.wake.key, chains);
}

const SILENTLY: KillOptions = { silent: true, archiveAfterMs: null };

/**
 * Part of a step: ends everything that a session's own turns have set off and that still goes on, wherever it goes on (TN-8, ST-28).
 * Nothing of it begins afterwards.
 */
export async function stopChainsFrom(
  context: StepContext,
  sessionKey: SessionKey,
  options: KillOptions,
): Promise<Killed & { readonly chains: number }> {
  const { db } = context;
  const turns = await db.selectFrom("turns").selectAll().where("ended_at", "is", null).execute();
  const inputs = await db
    .selectFrom("inbox")
    .selectAll()
    .where("settled_at", "is", null)
    .where("state", "in", ["waiting", "held"])
    .where("kind", "in", ["task", "steer", "inter_session", "completion", "notice"])
    .execute();
  const runs = await db
    .selectFrom("runs")
    .selectAll()
    .where("ended_at", "is", null)
    .where("kind", "=", "spawn")
    .execute();
  const open = {
    turns: turns.map(turnFromRow),
    inputs: inputs.map(inboxItemFromRow),
    runs: runs.map(runFromRow),
  };
  const ids = [
    ...open.turns.map(({ source }) => source.chain?.id),
    ...open.inputs.map(({ payload }) => chainOfInput(payload)?.id),
    ...open.runs.map(({ chain }) => chain?.id),
  ].filter((id) => id !== undefined);
  const own = new Set<string | undefined>();
  for (const { id, origin } of await usesOf(context, ids)) {
    if (origin.sessionKey !== sessionKey) continue;
    own.add(id);
    await markStopped(context, id, "stop");
  }
  if (own.size === 0) return { runs: [], sessions: [], chains: 0 };
  const sessions: SessionKey[] = [];
  for (const { sessionKey: key, source } of open.turns) {
    if (own.has(source.chain?.id) && (await abortOpenTurn(context, key))) sessions.push(key);
  }
  await drop(
    context,
    open.inputs.filter(({ payload }) => own.has(chainOfInput(payload)?.id)),
    "stopped",
  );
  const killed: Killed[] = [];
  for (const run of open.runs) if (own.has(run.chain?.id)) killed.push(await killOne(context, run, options));
  return {
    chains: own.size,
    runs: killed.flatMap((one) => one.runs),
    sessions: [...new Set([...sessions, ...killed.flatMap((one) => one.sessions)])],
  };
}
