import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { complaints, isClean } from "./account.ts";
import { composed } from "./compose.ts";
import { type Ground, openGround } from "./ground.ts";
import { runTrial } from "./trial.ts";

/**
 * What there is time for here; `npm run faults -- --seeds 1..500` plays any number. Between them they have a kill, a jump of the
 * clock and most kinds of fault on most platforms.
 */
const SEEDS = [5, 8, 14];

let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground[Symbol.asyncDispose]());

describe("DL-2, DL-3, DL-4, IN-2, IN-3: faults of all platforms at once, while people write", () => {
  test.for(SEEDS)(
    "every message is answered once, where it was asked and in order: seed %i",
    { timeout: 180_000 },
    async (seed) => {
      const script = composed(seed, ground.playable);
      const { account, rest } = await runTrial(ground, script, `${seed}`);
      const report = isClean(account)
        ? []
        : [...complaints(account), ...rest, `again: npm run faults -- --seed ${seed}`];
      expect(report).toEqual([]);
      expect(account.answered).toBe(script.messages.length);
    },
  );
});
