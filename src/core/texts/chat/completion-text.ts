import type { Run, RunOutcome } from "../../session/run.ts";
import { escapeMarkers } from "../../text/markers.ts";
import { promptLabel } from "../../text/prompt-words.ts";

/**
 * What the requester reads of an ended run (CP-1, CP-2): who, how it ended, the complete result, one line of figures.
 * A failed run shows no captured text, only the failure.
 */
export function completionText(
  run: Pick<Run, "id" | "sessionKey" | "label" | "taskName" | "error" | "result">,
  end: {
    readonly outcome: RunOutcome;
    readonly runtimeMs: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
  },
): string {
  const name = run.label ?? run.taskName ?? "sub-agent";
  return [
    `[Completion of sub-agent ${promptLabel(name)} (${run.sessionKey}): ${end.outcome}]`,
    body(run, end.outcome),
    `[Stats: runtime ${seconds(end.runtimeMs)}, tokens in ${end.inputTokens} out ${end.outputTokens}, run ${run.id}]`,
  ].join("\n");
}

function body(run: Pick<Run, "error" | "result">, outcome: RunOutcome): string {
  if (outcome === "ok") return run.result === null || run.result === "" ? "(no output)" : escapeMarkers(run.result);
  return run.error === null ? REASONS[outcome] : escapeMarkers(run.error);
}

const REASONS: Record<Exclude<RunOutcome, "ok">, string> = {
  error: "The run failed.",
  timeout: "The run reached its time limit and was stopped.",
  killed: "The run was stopped.",
  lost: "The run was interrupted and could not continue.",
};

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}
