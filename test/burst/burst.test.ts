import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BurstFigures, runBurst } from "./burst.ts";

const MESSAGES = 500;
const PER_MINUTE = 10;
const ran: { figures: Promise<BurstFigures> | null } = { figures: null };

/** Small limits, so that each of them is met by a burst this small. */
beforeAll(() => {
  ran.figures = runBurst({ messages: MESSAGES, perMinute: PER_MINUTE, queue: { cap: 2 }, pacing: false });
  return ran.figures;
});
afterAll(() => ran.figures);

async function figures(): Promise<BurstFigures> {
  if (ran.figures === null) throw new Error("nothing was run");
  return ran.figures;
}

describe(`a burst of ${MESSAGES} messages on three platforms`, () => {
  test("OP-14, IN-17: every message is answered, or shortened for a turn, or refused with a stored reason that people were told", async () => {
    const { messages, answered, merged, refused, why, unaccounted } = await figures();
    expect(why).toEqual([]);
    expect(unaccounted).toBe(0);
    const left = Object.values(refused).reduce((sum, count) => sum + count, 0);
    expect({ messages, sum: answered + merged + left }).toEqual({ messages: MESSAGES, sum: MESSAGES });
  });

  test("TN-19, TN-3: the limit per sender and the cap of the queue act as documented", async () => {
    const { refused, merged, answered, answers } = await figures();
    expect(refused[`limits.perSender.perMinute is ${PER_MINUTE}`]).toBeGreaterThan(0);
    expect(merged).toBeGreaterThan(0);
    // What waits together is answered together.
    expect(answers).toBeLessThan(answered);
  });

  test("OP-14, OP-8: how long the oldest input waits can be seen, and memory stays within bounds", async () => {
    const { oldestWaitingSeconds, rssBeforeMb, rssPeakMb } = await figures();
    expect(oldestWaitingSeconds).toBeGreaterThan(0);
    expect(rssPeakMb - rssBeforeMb).toBeLessThan(150);
  });
});
