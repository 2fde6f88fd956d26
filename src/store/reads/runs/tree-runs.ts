import { sql } from "kysely";
import type { Run } from "../../../core/session/run.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { runFromRow } from "../../rows.ts";
import { defineRead } from "../../store.ts";

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
      .where((eb) => eb.or([eb("runs.ended_at", "is", null), eb("runs.ended_at", ">=", input.endedSince)]))
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
