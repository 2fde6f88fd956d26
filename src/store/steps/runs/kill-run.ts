import type { RunId } from "../../../core/ids.ts";
import type { Run } from "../../../core/session/run.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { abortOpenTurn } from "../../parts/close-turn.ts";
import { endRun } from "../../parts/end-run.ts";
import { settleDropped } from "../../parts/settle-dropped.ts";
import { inboxItemFromRow, runFromRow } from "../../rows.ts";
import { defineStep, type StepContext } from "../../store.ts";

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

async function killOne(
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

/** Ends one run and its descendants; an ended run is left alone and `runs` is empty (SB-2). */
export const killRun = defineStep("kill-run", "normal", async (context, input: EndRunInput): Promise<Killed> => {
  return killById(context, input, "killed");
});

/** A run passed its time limit (SP-1 `runTimeoutSeconds`, SB-4). Does nothing before its time or after its end. */
export const timeoutRun = defineStep("timeout-run", "normal", async (context, input: EndRunInput): Promise<Killed> => {
  const { db, now } = context;
  await db.deleteFrom("timers").where("task", "=", "run-timeout").where("key", "=", input.runId).execute();
  const row = await db.selectFrom("runs").select("timeout_at").where("id", "=", input.runId).executeTakeFirst();
  if (row === undefined || row.timeout_at === null || row.timeout_at > now) return { runs: [], sessions: [] };
  return killById(context, input, "timeout");
});

async function killById(
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
  if (row === undefined) return { runs: [], sessions: [] };
  return killOne(context, runFromRow(row), { silent: false, archiveAfterMs, outcome });
}
