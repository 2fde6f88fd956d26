import { afterAll, expect, test } from "vitest";
import { type CaseInput, type CaseResult, runCase } from "./case.ts";
import type { Flow } from "./flow.ts";
import { FLOWS } from "./flows.ts";
import { type Lane, openLane } from "./lane.ts";
import { crashOptions } from "./options.ts";
import { pointsOf, titleOf } from "./points.ts";
import { type Case, type Group, sampled } from "./sample.ts";
import { CHANNELS, type Channel } from "./stage.ts";
import { stepNames } from "./step-names.ts";
import { UNREACHED } from "./unreached.ts";

/** A case waits for its lane, so this bounds the whole suite rather than one case; each wait inside has its own bound. */
const CASE_MS = 3_600_000;

const options = crashOptions(process.env);
const startedAt = performance.now();
const marks = { next: 0 };
const reached = new Set<string>();

/** One program for each channel; its cases come one after the other. */
const lanes = new Map<Channel, { lane: Lane | null; last: Promise<unknown> }>(
  CHANNELS.map((channel) => [channel, { lane: null, last: Promise.resolve() }]),
);

async function closeLanes(): Promise<void> {
  await Promise.all([...lanes.values()].map(({ lane }) => lane?.[Symbol.asyncDispose]()));
}

afterAll(closeLanes);

function run(channel: Channel, input: Omit<CaseInput, "mark">): Promise<CaseResult> {
  const own = lanes.get(channel);
  if (own === undefined) throw new Error(`there is no lane for ${channel}`);
  const result = own.last.then(async () => {
    try {
      own.lane ??= await openLane(channel);
      marks.next += 1;
      return await runCase(own.lane, { ...input, mark: `m${marks.next}` });
    } catch (error) {
      // What went wrong must not reach the cases after it.
      await own.lane?.[Symbol.asyncDispose]();
      own.lane = null;
      throw error;
    }
  });
  own.last = result.catch(() => undefined);
  return result;
}

/** What happens on the way of an undisturbed message, and so where it can be cut. */
async function recorded(channel: Channel, flow: Flow): Promise<Group> {
  const { way, lost, extra } = await run(channel, { flow, point: null });
  if (way === null || lost.length + extra.length > 0) {
    throw new Error(`${flow.name} on ${channel}, undisturbed: lost ${lost.join()}, extra ${extra.join()}`);
  }
  for (const step of way.steps) reached.add(step);
  const points = pointsOf(way).filter((point) => options.point === null || titleOf(point) === options.point);
  return { channel, flow, points };
}

const wanted = CHANNELS.filter((channel) => options.channel === null || options.channel === channel).flatMap(
  (channel) =>
    FLOWS.filter(({ name, channels = CHANNELS }) => channels.includes(channel) && (options.flow ?? name) === name).map(
      (flow) => ({ channel, flow }),
    ),
);
const groups = await Promise.all(wanted.map(({ channel, flow }) => recorded(channel, flow))).catch(
  async (error: unknown) => {
    // Nothing is collected after this, so nothing else would end the programs.
    await closeLanes();
    throw error;
  },
);
const cases = sampled(groups, options).map((one) => ({ ...one, title: titleOf(one.point), name: one.flow.name }));
type Result = Awaited<ReturnType<typeof run>>;
const tried = new Map<Case, ReturnType<typeof counts>>();
const firstTries = new Map(
  cases.map((one) => {
    const result = run(one.channel, one);
    result.catch(() => undefined);
    return [one as Case, result];
  }),
);

/** What Telegram carried out and did not answer it cannot be asked for: the one case where a double is documented (DL-3). */
function labelledIn({ unknown, extra }: Result, channel: Channel): number {
  return channel === "telegram" ? Math.min(unknown, extra.length) : 0;
}

function counts(result: Result, channel: Channel) {
  const labelled = labelledIn(result, channel);
  return { ...result, lost: result.lost.length, doubled: result.extra.length - labelled, labelled };
}

test.for(cases)(
  "OP-9, TN-2, DL-3, TB-7, ST-26, FC-014: $name on $channel, killed $title",
  { timeout: CASE_MS },
  async (one) => {
    const { channel, name, title } = one;
    const first = firstTries.get(one);
    firstTries.delete(one);
    const result = await (first ?? run(channel, one));
    // A case that is tried again counts by its last try; the run's summary names it.
    tried.set(one, counts(result, channel));
    const labelled = labelledIn(result, channel);
    const again = `npm run crash -- --channel ${channel} --flow "${name}" --point "${title}"`;
    expect(result.lost, `lost; again: ${again}`).toEqual([]);
    expect(result.extra.slice(labelled), `doubled; again: ${again}`).toEqual([]);
  },
);

test.skipIf(options.channel !== null || options.flow !== null)(
  "TN-2: every step of the store is reached by a flow, or test/crash/unreached.ts says why not",
  () => {
    const steps = stepNames();
    expect(steps.filter((step) => !reached.has(step) && !(step in UNREACHED))).toEqual([]);
    expect(Object.keys(UNREACHED).filter((step) => !steps.includes(step))).toEqual([]);
  },
);

test("DL-3: 0 lost, 0 doubled but for Telegram's accepted and unanswered send", () => {
  const points = groups.reduce((sum, group) => sum + group.points.length, 0);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const all = [...tried.values()];
  const sum = (of: (one: ReturnType<typeof counts>) => number): number => all.reduce((left, one) => left + of(one), 0);
  const counted = {
    cases: all.length,
    died: sum(({ died }) => (died ? 1 : 0)),
    lost: sum(({ lost }) => lost),
    doubled: sum(({ doubled }) => doubled),
    doubledAsDocumented: sum(({ labelled }) => labelled),
  };
  console.info(`crash suite: ${JSON.stringify({ seed: options.seed, points, ...counted, seconds })}`);
  expect(counted).toMatchObject({ lost: 0, doubled: 0 });
  const isPart = options.channel !== null || options.flow !== null || options.point !== null || options.most < 80;
  if (isPart) return;
  expect(counted.doubledAsDocumented).toBeGreaterThan(0);
  // A point that no message reaches any more proves nothing.
  expect(counted.died).toBeGreaterThan(counted.cases * 0.9);
});
