import type { TrialSize } from "./trial.ts";

/** The command that runs one seed again. */
export function replayCommand(seed: number, { sessions, calls, kills }: TrialSize): string {
  return `node test/concurrency/run.ts --from ${seed} --sessions ${sessions} --calls ${calls} --kills ${kills}`;
}
