import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTimerHeap } from "../../../src/work/in-process.ts";
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

test("DL-4: when the clock is set back, what waits goes on waiting for what was left, not for what was corrected", () => {
  const clock = new FakeClock();
  const fired: string[] = [];
  const heap = createTimerHeap(clock, ({ key }) => fired.push(key));
  heap.add({ task: "deliver", key: "a", at: clock.now() + 40_000 });
  clock.advance(-3 * 3_600_000);
  for (let passed = 0; passed < 70_000; passed += 10_000) {
    vi.advanceTimersByTime(10_000);
    clock.advance(10_000);
  }
  expect(fired).toEqual(["a"]);
  heap.clear();
});
