import { expect, test } from "vitest";
import { complaints } from "./account.ts";
import { runSoak, STEADY } from "./soak.ts";

/** `npm run soak` is the same for an hour. */
const SECONDS = 90;

test("DL-2, DL-3, DL-4: ninety seconds at 20 messages a second with faults all the time: nothing lost, doubled or out of order, memory steady", {
  timeout: 600_000,
}, async () => {
  const { account, figures, rssRatio } = await runSoak({
    ms: SECONDS * 1_000,
    perSecond: 20,
    faultEveryMs: 2_500,
    seed: 1,
  });
  console.info(JSON.stringify(figures));
  expect(complaints(account)).toEqual([]);
  expect(account.answered).toBe(SECONDS * 20);
  expect(rssRatio).toBeLessThanOrEqual(STEADY);
});
