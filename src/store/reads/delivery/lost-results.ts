import type { RunId } from "../../../core/ids.ts";
import { defineRead } from "../../store.ts";

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
      reason: row.reason ?? "unknown reason",
      at: row.settled_at ?? row.created_at,
    }));
  },
);
