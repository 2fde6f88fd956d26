import type { RunId } from "../../core/ids.ts";
import type { Run } from "../../core/session/run.ts";
import type { SessionKey } from "../../core/session/session-key.ts";
import { inboxItemFromRow, runFromRow } from "../rows.ts";
import type { StepContext } from "../store.ts";
import { abortOpenTurn, settleDropped } from "./close-turn.ts";
import { endBinding, openBindings } from "./end-binding.ts";
import { endRun } from "./end-run.ts";

export interface KillOptions {
  /** A person's stop or reset: completions are listed and wake nobody (TN-8). */
  readonly silent: boolean;
  /** When the ended sub-agents' sessions are archived; null: never. */
  readonly archiveAfterMs: number | null;
}

/** What was ended: the sessions whose turns this process must abort now. */
export interface Killed {
  readonly runs: readonly RunId[];
  readonly sessions: readonly SessionKey[];
}

/** Part of a step: ends every open run that a session started, and theirs, bottom up (SB-2). */
export async function killDescendants(
  context: StepContext,
  sessionKey: SessionKey,
  options: KillOptions,
): Promise<Killed> {
  const rows = await context.db
    .selectFrom("runs")
    .selectAll()
    .where("wake_key", "=", sessionKey)
    .where("ended_at", "is", null)
    .where("kind", "=", "spawn")
    .orderBy("created_at")
    .execute();
  const killed: Killed[] = [];
  for (const row of rows) killed.push(await killOne(context, runFromRow(row), options));
  return { runs: killed.flatMap((one) => one.runs), sessions: killed.flatMap((one) => one.sessions) };
}

/** Part of a step: ends one open run and all that it started. */
export async function killOne(
  context: StepContext,
  run: Run,
  options: KillOptions & { readonly outcome?: "killed" | "timeout" },
): Promise<Killed> {
  const below = await killDescendants(context, run.sessionKey, { ...options, silent: true });
  await abortOpenTurn(context, run.sessionKey);
  await withdrawInputs(context, run.sessionKey);
  const outcome = options.outcome ?? "killed";
  const ended = await endRun(context, run, {
    outcome,
    result: null,
    error: null,
    silent: options.silent,
    archiveAfterMs: options.archiveAfterMs,
  });
  return ended ? { runs: [...below.runs, run.id], sessions: [...below.sessions, run.sessionKey] } : below;
}

/**
 * Part of a step: drops what waits for a session; returns how many people's messages were among it. `before`: only what
 * came before this sequence.
 */
export async function withdrawInputs(
  context: StepContext,
  sessionKey: SessionKey,
  before = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  const rows = await context.db
    .updateTable("inbox")
    .set({ state: "withdrawn", settled_at: context.now })
    .where("session_key", "=", sessionKey)
    .where("settled_at", "is", null)
    .where("state", "in", ["waiting", "held"])
    .where("kind", "<>", "command")
    .where("seq", "<", before)
    .returningAll()
    .execute();
  const items = rows.map(inboxItemFromRow);
  await settleDropped(context, items, "stopped");
  return items.filter((item) => item.payload.kind === "event").length;
}

export interface EndRunInput {
  readonly runId: RunId;
  readonly archiveAfterMs: number | null;
}

/**
 * Part of a step: ends one open run and its descendants. One that had ended and lives on in its thread is closed there (FC-235);
 * else `runs` is empty when it had ended before.
 */
export async function killById(
  context: StepContext,
  { runId, archiveAfterMs }: EndRunInput,
  outcome: "killed" | "timeout",
): Promise<Killed> {
  const row = await context.db
    .selectFrom("runs")
    .selectAll()
    .where("id", "=", runId)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) return outcome === "killed" ? closeThread(context, { runId, archiveAfterMs }) : NOTHING;
  return killOne(context, runFromRow(row), { silent: false, archiveAfterMs, outcome });
}

const NOTHING: Killed = { runs: [], sessions: [] };

async function closeThread(context: StepContext, { runId, archiveAfterMs }: EndRunInput): Promise<Killed> {
  const { db, now, enqueue } = context;
  const row = await db.selectFrom("runs").selectAll().where("id", "=", runId).executeTakeFirst();
  if (row === undefined) return NOTHING;
  const { sessionKey } = runFromRow(row);
  const bound = await openBindings(context, { sessionKey });
  if (bound.length === 0) return NOTHING;
  const below = await killDescendants(context, sessionKey, { silent: true, archiveAfterMs });
  await abortOpenTurn(context, sessionKey);
  await withdrawInputs(context, sessionKey);
  const over = { why: "closed", actorType: "agent", actor: row.wake_key ?? sessionKey, farewell: true } as const;
  for (const binding of bound) await endBinding(context, binding, over);
  if (archiveAfterMs !== null) enqueue("archive", sessionKey, now + archiveAfterMs);
  return { runs: [...below.runs, runId], sessions: [...below.sessions, sessionKey] };
}
