import type { RenderedPiece } from "../../delivery/delivery.ts";
import { assertNever } from "../../runtime.ts";
import type { ChainLimits, ChainStop } from "../../session/chain.ts";
import type { BindingEnd, Run, RunOutcome } from "../../session/run.ts";
import { escapeMarkers, promptLabel } from "../../text/prompt-words.ts";
import { TURN_FAILURES } from "./failures.ts";

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

/**
 * Fixed sentences about linked threads. They use only letters, digits, commas and full stops, which every platform shows as
 * they are; with anything else a step would need the platform's renderer.
 */
function fixed(text: string): RenderedPiece {
  return { rich: text, plain: text };
}

/**
 * The line that says in a thread that its session is no longer linked (TB-6); null: nobody could read it, or writing it
 * would open an archived thread again.
 */
export function farewell(why: BindingEnd): RenderedPiece | null {
  switch (why) {
    case "idle":
      return fixed("This thread is no longer linked to its session, because nobody wrote here for a while.");
    case "max_age":
      return fixed("This thread is no longer linked to its session, because the link reached its maximum age.");
    case "locked":
      return fixed("This thread is locked. Its session continues here when the thread is unlocked.");
    case "replaced":
      return fixed("This thread is no longer linked to its session, because the session moved to another thread.");
    case "run_ended":
      return fixed("This thread is no longer needed. Its sub-agent ended before it started.");
    case "closed":
      return fixed("This sub-agent was closed. This thread is no longer linked to it.");
    case "archived":
    case "deleted":
    case "bot_removed":
    case "gone":
    case "denied":
    case "unbound":
    case "not_created":
      return null;
    default:
      return assertNever(why);
  }
}

/** For a person whose `/focus` could not create a thread. */
/** TN-20. */
export const INPUT_PARKED = fixed(
  "I could not process this message, so I set it aside. The operator can see why. Please write it another way.",
);

/** TN-20: a turn that failed by a fault of Switchyard, and could not even be ended in the ordinary way. */
export const TURN_PARKED = fixed(TURN_FAILURES.internal.person);

/** The one line when what a message set off is stopped (ST-28). */
export function chainNotice(by: ChainStop, limits: ChainLimits): RenderedPiece {
  switch (by) {
    case "session.chains.maxTurns":
      return fixed(
        `I stopped, because your request set off more than ${limits.maxTurns} automatic turns between agents. Send a message to continue.`,
      );
    case "session.chains.maxModelCalls":
      return fixed(
        `I stopped, because your request set off more than ${limits.maxModelCalls} model calls between agents. Send a message to continue.`,
      );
    case "session.chains.maxTokens":
      return fixed(
        `I stopped, because your request used more than ${limits.maxTokens} tokens between agents. Send a message to continue.`,
      );
    case "stop":
      return fixed("I stopped everything that your request set off.");
  }
}

/** In the conversation around a thread that the bot may not write in (FC-421). */
export const THREAD_DENIED = fixed(
  "I created a thread for a sub-agent, but I may not write in it. Allow me to send messages in threads here, then ask again.",
);
export const THREAD_NOT_MADE = fixed("The thread could not be created, so no session is linked.");
