import { describe, test } from "vitest";
import { replayCommand } from "./replay.ts";
import { runTrial, type TrialSize } from "./trial.ts";

const SEEDS = Array.from({ length: 20 }, (_unused, index) => index + 1);
/** What there is time for here; `node test/concurrency/run.ts` runs any number of seeds with 500 sessions and 2,000 calls each. */
const SMALL: TrialSize = { sessions: 20, calls: 60, kills: 1 };

describe("TN-1, TN-2, CP-2, DL-2, SL-2, VS-2: agents at work at once, the process killed and started again", () => {
  // The runner takes five at a time: most of a trial is starting processes and waiting.
  test.concurrent.for(SEEDS)(
    "every invariant of the store holds for seed %i",
    { timeout: 180_000 },
    async (seed, { expect: own }) => {
      const { broken } = await runTrial(seed, SMALL);
      own(broken, `again: ${replayCommand(seed, SMALL)}`).toEqual([]);
    },
  );
});
