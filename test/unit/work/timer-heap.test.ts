import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTimerHeap } from "../../../src/work/timer-heap.ts";
import { FakeClock } from "../../support/fake-clock.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("SB-4: after the machine slept, what fell due by the clock fires within half a minute of being awake", () => {
  const clock = new FakeClock();
  const fired: string[] = [];
  const heap = createTimerHeap(clock, ({ key }) => fired.push(key));
  heap.add({ task: "archive", key: "a", at: clock.now() + 6 * 3_600_000 });
  clock.advance(7 * 3_600_000);
  vi.advanceTimersByTime(30_000);
  expect(fired).toEqual(["a"]);
  heap.clear();
});
