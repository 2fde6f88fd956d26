import { describe, test } from "vitest";
import { replayCommand } from "./replay.ts";
import { runTrial, type TrialResult, type TrialSize } from "./trial.ts";

const SEEDS = Array.from({ length: 8 }, (_unused, index) => index + 1);
/**
 * What there is time for here: starting a process twice is most of a trial. `node test/concurrency/run.ts` runs any number of seeds
 * with 500 sessions and 2,000 calls each.
 */
const SMALL: TrialSize = { sessions: 16, calls: 60, kills: 1 };
/** A trial ends by itself when nothing moves; this only bounds how long it may wait for its lane. */
const WAIT_MS = 900_000;

/** Two trials beside each other: more would only take the processor from one another. */
const lanes: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()];

function inLane(seed: number): Promise<TrialResult> {
  const lane = seed % lanes.length;
  const run = Promise.resolve(lanes[lane]).then(() => runTrial(seed, SMALL));
  lanes[lane] = run.catch(() => undefined);
  return run;
}

describe("TN-1, TN-2, CP-2, DL-2, SL-2, VS-2: agents at work at once, the process killed and started again", () => {
  test.concurrent.for(SEEDS)(
    "every invariant of the store holds for seed %i",
    { timeout: WAIT_MS },
    async (seed, { expect }) => {
      const { broken } = await inLane(seed);
      expect(broken, `${broken.join("; ")}; again: ${replayCommand(seed, SMALL)}`).toEqual([]);
    },
  );
});
