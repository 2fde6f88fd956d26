import type { RunId } from "../../../core/ids.ts";
import { handOver, livingRequester } from "../../parts/end-run.ts";
import { runFromRow } from "../../rows.ts";
import { defineStep } from "../../store.ts";

/** `refused`: there is nothing to hand over again; `state` is its outcome. */
export type RetryCompletionResult =
  | { readonly result: "done" }
  | { readonly result: "not_found" | "requester_gone" }
  | { readonly result: "refused"; readonly state: string };

/**
 * Retries a result whose requester's turn failed (CP-2): by the operator, or by a person in the requester's
 * conversation. `cause` makes a repeated command the same act. One that was delivered or silent stays so.
 */
export const retryCompletion = defineStep(
  "retry-completion",
  "normal",
  async (
    context,
    { runId, cause }: { readonly runId: RunId; readonly cause: string },
  ): Promise<RetryCompletionResult> => {
    const { db } = context;
    const key = `completion:${runId}:${cause}`;
    const again = await db.selectFrom("inbox").select("seq").where("key", "=", key).executeTakeFirst();
    if (again !== undefined) return { result: "done" };
    const completion = await db.selectFrom("completions").selectAll().where("run_id", "=", runId).executeTakeFirst();
    const row = await db.selectFrom("runs").selectAll().where("id", "=", runId).executeTakeFirst();
    if (completion === undefined || row === undefined) return { result: "not_found" };
    if (completion.state !== "failed") return { result: "refused", state: completion.state };
    const run = runFromRow(row);
    const requester = await livingRequester(context, run.wake.key);
    if (requester === null) return { result: "requester_gone" };
    await db
      .updateTable("completions")
      .set({ state: "owed", reason: null, settled_at: null })
      .where("run_id", "=", runId)
      .execute();
    const { outcome, endedAt } = run;
    await handOver(context, run, { requester, outcome: outcome ?? "lost", key, endedAt: endedAt ?? context.now });
    return { result: "done" };
  },
);
