import { expect, it } from "vitest";
import { watchSilence } from "../../../src/channel/single-connection.ts";

const TICK_MS = 250;

function acts(afterMs: readonly number[]) {
  const done: string[] = [];
  let sign = 0;
  const stages = afterMs.map((ms) => ({ afterMs: ms, act: () => void done.push(`quiet ${ms}`) }));
  const stop = watchSilence(
    () => sign,
    stages,
    () => void done.push("heard"),
  );
  return { done, stop, gives: () => (sign += 1) };
}

it("FC-073: each act follows once per silence, and a sign of life ends it", async () => {
  const it = acts([300, 600]);
  await expect.poll(() => it.done, { timeout: 5_000 }).toEqual(["quiet 300", "quiet 600"]);
  it.gives();
  await expect.poll(() => it.done.at(-1), { timeout: 5_000 }).toBe("heard");
  await expect.poll(() => it.done.length, { timeout: 5_000 }).toBeGreaterThan(3);
  it.stop();
  expect(it.done.slice(0, 4)).toEqual(["quiet 300", "quiet 600", "heard", "quiet 300"]);
});

it("FC-071: a process that stood still for long has not heard a silence; what came meanwhile is read first", async () => {
  const it = acts([1_000]);
  const until = performance.now() + 2_500;
  while (performance.now() < until);
  setTimeout(it.gives, TICK_MS);
  await new Promise((resolve) => setTimeout(resolve, 3 * TICK_MS));
  expect(it.done).toEqual([]);
  it.stop();
});
