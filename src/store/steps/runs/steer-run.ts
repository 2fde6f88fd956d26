import type { CallId, RunId } from "../../../core/ids.ts";
import type { Rights } from "../../../core/session/rights.ts";
import type { Chain, Run } from "../../../core/session/run.ts";
import { boundRoute } from "../../parts/bind.ts";
import { insertInput } from "../../parts/inputs.ts";
import { runFromRow } from "../../rows.ts";
import { defineStep } from "../../store.ts";

export interface SteerRunInput {
  readonly runId: RunId;
  readonly text: string;
  /** Who guides: a session key, or a person's name. */
  readonly from: string;
  readonly rights: Rights;
  /** Of the turn that guides; null: a person does, and the child goes on as it is. */
  readonly chain: Chain | null;
  /** The tool call or command that asked: a replay steers once. */
  readonly callId: CallId;
}

/**
 * SB-2: guidance for a running child, an input of its next boundary. A child that lives on in its thread reads it as the next
 * input there (FC-235). null: the run has ended, and nothing was stored.
 */
export const steerRun = defineStep(
  "steer-run",
  "normal",
  async (context, input: SteerRunInput): Promise<Run | null> => {
    const row = await context.db.selectFrom("runs").selectAll().where("id", "=", input.runId).executeTakeFirst();
    if (row === undefined) return null;
    const run = runFromRow(row);
    const place = await boundRoute(context, run.sessionKey);
    if (run.state === "ended" && place === null) return null;
    await insertInput(context, {
      key: `steer:${input.callId}`,
      sessionKey: run.sessionKey,
      payload: {
        kind: "steer",
        text: input.text,
        from: input.from,
        ...(input.chain === null ? {} : { chain: input.chain }),
      },
      provenance: { kind: "task", from: input.from },
      // What it answers to guidance is read where the child is bound (TB-2); else it answers through its result.
      route: place,
      rights: input.rights,
      runId: run.state === "ended" ? null : run.id,
      callId: input.callId,
      cause: `run ${run.id}`,
    });
    return run;
  },
);
