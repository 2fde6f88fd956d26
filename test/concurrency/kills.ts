import { fileURLToPath } from "node:url";
import type { ProcessOptions } from "../support/switchyard-process.ts";
import { random } from "./random.ts";

const KILL_AT = fileURLToPath(new URL("../crash/kill-at.ts", import.meta.url));

/** Steps at which a process may end itself right after their commit. */
const STEPS = [
  "accept-event",
  "begin-turn",
  "append-message",
  "spawn",
  "start-exchange",
  "steer-in",
  "end-turn",
  "claim-delivery",
  "settle-delivery",
  "kill-run",
  "reset-session",
  "stop-session",
  "settle-command",
];

/** How one life of the process ends. */
export interface Death {
  /** When the model has asked for so many calls, and `afterMs` more have passed. */
  readonly atCalls: number;
  readonly afterMs: number;
  /** Sooner, when this step is committed for the n-th time in this life; null: not by a step. */
  readonly step: string | null;
}

/** The deaths of a trial, in order; the last one comes while the work is settling. */
export function plannedDeaths(
  seed: number,
  given: { readonly kills: number; readonly calls: number },
): readonly Death[] {
  const dice = random(seed, "kills");
  return Array.from({ length: given.kills }, (_unused, index) => ({
    atCalls: Math.min(given.calls, Math.ceil((given.calls * (index + 0.5 + dice.next())) / given.kills)),
    afterMs: dice.below(40),
    step: dice.chance(0.6) ? `${dice.pick(STEPS) ?? "end-turn"}:${1 + dice.below(25)}` : null,
  }));
}

export function startFor(death: Death | undefined): Pick<ProcessOptions, "nodeArgs" | "env"> {
  if (death === undefined || death.step === null) return {};
  return { nodeArgs: ["--import", KILL_AT], env: { KILL_AT_STEP: death.step } };
}
