import { type EndRunInput, type Killed, killById } from "../../parts/kill-runs.ts";
import { defineStep } from "../../store.ts";

/** A run passed its time limit (SP-1 `runTimeoutSeconds`, SB-4). Does nothing before its time or after its end. */
export const timeoutRun = defineStep("timeout-run", "normal", async (context, input: EndRunInput): Promise<Killed> => {
  const { db, now } = context;
  await db.deleteFrom("timers").where("task", "=", "run-timeout").where("key", "=", input.runId).execute();
  const row = await db.selectFrom("runs").select("timeout_at").where("id", "=", input.runId).executeTakeFirst();
  if (row === undefined || row.timeout_at === null || row.timeout_at > now) return { runs: [], sessions: [] };
  return killById(context, input, "timeout");
});
