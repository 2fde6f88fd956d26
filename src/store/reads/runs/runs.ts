import { sql } from "kysely";
import type { CallId, RunId } from "../../../core/ids.ts";
import type { Exchange, Run } from "../../../core/session/run.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { UNKNOWN_REASON } from "../../../core/texts/store/outcomes.ts";
import { exchangeFromRow, runFromRow } from "../../rows.ts";
import { defineStatement } from "../../statement.ts";
import { defineRead } from "../../store.ts";

const startedBy = defineStatement((db, p: { readonly sessionKey: SessionKey; readonly endedSince: number }) =>
  db
    .selectFrom("runs")
    .selectAll()
    .where("wake_key", "=", p.sessionKey)
    .where("kind", "=", "spawn")
    .where((eb) => eb.or([eb("ended_at", "is", null), eb("ended_at", ">=", p.endedSince)]))
    .orderBy("created_at"),
);

/** The runs a session started: every open one, and those ended since `endedSince`; oldest first. */
export const runsOf = defineRead(
  "runs-of",
  async (db, input: { readonly sessionKey: SessionKey; readonly endedSince: number }): Promise<readonly Run[]> => {
    const rows = await startedBy.all(db, input);
    return rows.map(runFromRow);
  },
);

export const findRun = defineRead("find-run", async (db, runId: RunId): Promise<Run | null> => {
  const row = await db.selectFrom("runs").selectAll().where("id", "=", runId).executeTakeFirst();
  return row === undefined ? null : runFromRow(row);
});

/** Every sub-agent's session whose run has not ended, oldest first. */
export const openSpawns = defineRead("open-spawns", async (db, _: null): Promise<readonly SessionKey[]> => {
  const rows = await db
    .selectFrom("runs")
    .select("session_key")
    .where("kind", "=", "spawn")
    .where("ended_at", "is", null)
    .orderBy("created_at")
    .execute();
  return rows.map((row) => row.session_key as SessionKey);
});

/** The newest spawned run of a sub-agent's session. */
export const runOfChild = defineRead("run-of-child", async (db, sessionKey: SessionKey): Promise<Run | null> => {
  const row = await db
    .selectFrom("runs")
    .selectAll()
    .where("session_key", "=", sessionKey)
    .where("kind", "=", "spawn")
    .orderBy("created_at", "desc")
    .executeTakeFirst();
  return row === undefined ? null : runFromRow(row);
});

/**
 * The spawned runs of a session's own tree, at any depth: every open one, and those ended since; oldest first (SB-1). An
 * open run's tokens are its child's so far.
 */
export const treeRuns = defineRead(
  "tree-runs",
  async (db, input: { readonly root: SessionKey; readonly endedSince: number }): Promise<readonly Run[]> => {
    const rows = await db
      .selectFrom("session_lineage")
      .innerJoin("runs", "runs.session_key", "session_lineage.descendant")
      // One that is removed already is still listed with how it ended.
      .leftJoin("sessions", "sessions.key", "runs.session_key")
      .selectAll("runs")
      .select(["sessions.input_tokens as input_so_far", "sessions.output_tokens as output_so_far"])
      .where("session_lineage.ancestor", "=", input.root)
      .where("runs.kind", "=", "spawn")
      .where((eb) =>
        eb.or([
          eb("runs.ended_at", "is", null),
          eb("runs.ended_at", ">=", input.endedSince),
          // FC-235: it lives on in its thread.
          eb.exists(
            eb
              .selectFrom("bindings")
              .select("bindings.id")
              .whereRef("bindings.session_key", "=", "runs.session_key")
              .where("bindings.ended_at", "is", null),
          ),
        ]),
      )
      .orderBy("runs.created_at")
      // Spawns of one step share a time; their tasks were stored in order.
      .orderBy((eb) =>
        eb
          .selectFrom("inbox")
          .select((inbox) => inbox.fn.min("inbox.seq").as("first"))
          .whereRef("inbox.run_id", "=", "runs.id"),
      )
      .execute();
    return rows.map((row) => {
      const run = runFromRow(row);
      return run.endedAt === null
        ? { ...run, inputTokens: row.input_so_far ?? 0, outputTokens: row.output_so_far ?? 0 }
        : run;
    });
  },
);

/** A run of the tree by its id, or the newest run of a session of the tree by its key, however long ago it ended (FC-035). */
export const treeRun = defineRead(
  "tree-run",
  async (db, input: { readonly root: SessionKey; readonly reference: string }): Promise<Run | null> => {
    const row = await db
      .selectFrom("runs")
      .selectAll()
      .where("kind", "=", "spawn")
      .where((eb) => eb.or([eb("id", "=", input.reference), eb("session_key", "=", input.reference)]))
      .where(sql<boolean>`session_key in (select descendant from session_lineage where ancestor = ${input.root})`)
      .orderBy("created_at", "desc")
      .limit(1)
      .executeTakeFirst();
    return row === undefined ? null : runFromRow(row);
  },
);

/** How many children of a session are open and owe it a completion: what a yield waits for (CP-8). */
export const openChildren = defineRead("open-children", async (db, sessionKey: SessionKey): Promise<number> => {
  const rows = await db
    .selectFrom("runs")
    .select("id")
    .where("wake_key", "=", sessionKey)
    .where("ended_at", "is", null)
    .where("kind", "=", "spawn")
    .where("expects_completion", "=", 1)
    .where("completion_target", "<>", "thread")
    .execute();
  return rows.length;
});

/** A sub-agent's result that its requester could not work on (CP-2). */
export interface LostResult {
  readonly runId: RunId;
  /** What people call the run; null: it has no label. */
  readonly label: string | null;
  readonly requester: string;
  readonly reason: string;
  readonly at: number;
}

/** Newest first. */
export const lostResults = defineRead(
  "lost-results",
  async (db, input: { readonly limit: number }): Promise<readonly LostResult[]> => {
    const rows = await db
      .selectFrom("completions")
      .innerJoin("runs", "runs.id", "completions.run_id")
      .select(["run_id", "requester", "reason", "settled_at", "completions.created_at", "label", "task_name"])
      .where("completions.state", "=", "failed")
      .orderBy("completions.created_at", "desc")
      .limit(input.limit)
      .execute();
    return rows.map((row) => ({
      runId: row.run_id,
      label: row.label ?? row.task_name,
      requester: row.requester,
      reason: row.reason ?? UNKNOWN_REASON,
      at: row.settled_at ?? row.created_at,
    }));
  },
);

export const findExchange = defineRead("find-exchange", async (db, runId: RunId): Promise<Exchange | null> => {
  const row = await db.selectFrom("exchanges").selectAll().where("run_id", "=", runId).executeTakeFirst();
  return row === undefined ? null : exchangeFromRow(row);
});

/** The exchange that a tool call has started, for a call that is made again after a crash (TN-2). */
export const exchangeOfCall = defineRead("exchange-of-call", async (db, callId: CallId): Promise<Exchange | null> => {
  const row = await db.selectFrom("exchanges").selectAll().where("call_id", "=", callId).executeTakeFirst();
  return row === undefined ? null : exchangeFromRow(row);
});
