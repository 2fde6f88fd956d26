import { afterAll, describe, expect, test } from "vitest";
import { type CaseResult, type Channel, runCase } from "./case.ts";
import { FLOWS, type Flow } from "./flows.ts";
import { type Lane, openLane, type Point } from "./lane.ts";
import { pointsOf, titleOf } from "./points.ts";

const LANES = 3;
/** A case waits for its lane, so this bounds the whole suite rather than one case; each wait inside has its own bound. */
const CASE_MS = 900_000;
const CHANNELS: readonly Channel[] = ["telegram", "web"];

/** Empty: a lane is opened when it is needed. */
const pool: (Lane | null)[] = Array.from({ length: LANES }, () => null);
const waiting: ((lane: Lane | null) => void)[] = [];
const marks = { next: 0 };
const counted = { cases: 0, died: 0, lost: 0, doubled: 0, doubledAsDocumented: 0 };

afterAll(async () => {
  await Promise.all(pool.map((lane) => lane?.[Symbol.asyncDispose]()));
});

async function withLane<T>(work: (lane: Lane) => Promise<T>): Promise<T> {
  let lane =
    pool.length > 0 ? (pool.pop() ?? null) : await new Promise<Lane | null>((resolve) => waiting.push(resolve));
  try {
    lane ??= await openLane();
    return await work(lane);
  } catch (error) {
    // What went wrong must not reach the cases after it.
    await lane?.[Symbol.asyncDispose]();
    lane = null;
    throw error;
  } finally {
    const first = waiting.shift();
    if (first === undefined) pool.push(lane);
    else first(lane);
  }
}

function nextMark(): string {
  marks.next += 1;
  return `m${marks.next}`;
}

/** What really happens on the way of an undisturbed message. */
async function recorded(flow: Flow, channel: Channel): Promise<CaseResult> {
  const result = await withLane((lane) => runCase(lane, { flow, channel, point: null, mark: nextMark() }));
  if (result.lost.length + result.extra.length > 0) throw new Error(`${flow.name}: ${JSON.stringify(result)}`);
  return result;
}

const recordings = await Promise.all(
  CHANNELS.flatMap((channel) =>
    FLOWS.map(async (flow) => ({ channel, flow, points: pointsOf(await recorded(flow, channel), channel) })),
  ),
);

/** Sends that Telegram may have carried out without the program knowing: the one case where a double is documented (DL-3). */
function unanswered(point: Point, channel: Channel, inFlight: number): number {
  if (channel === "web") return 0;
  return point.kind === "cut" ? 1 : inFlight;
}

describe.each(recordings)("OP-9, TN-2, DL-3, FC-014: $flow.name on $channel", ({ channel, flow, points }) => {
  test.concurrent.for(points.map((point) => ({ point, title: titleOf(point) })))(
    "killed $title",
    { timeout: CASE_MS },
    async ({ point }) => {
      const result = await withLane((lane) => runCase(lane, { flow, channel, point, mark: nextMark() }));
      counted.cases += 1;
      if (result.died) counted.died += 1;
      counted.lost += result.lost.length;
      const labelled = Math.min(unanswered(point, channel, result.inFlight), result.extra.length);
      counted.doubledAsDocumented += labelled;
      counted.doubled += result.extra.length - labelled;
      expect(result.lost, "lost").toEqual([]);
      expect(result.extra.slice(labelled), "doubled").toEqual([]);
    },
  );
});

test("0 lost, 0 doubled but for Telegram's accepted and unanswered send", () => {
  console.info(`crash matrix: ${JSON.stringify(counted)}`);
  expect(counted).toMatchObject({ lost: 0, doubled: 0 });
  expect(counted.doubledAsDocumented).toBeGreaterThan(0);
  // A point that no message reaches any more proves nothing.
  expect(counted.died).toBeGreaterThan(counted.cases * 0.9);
});
