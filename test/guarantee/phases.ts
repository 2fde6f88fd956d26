import type { GuaranteeFault } from "../../src/channel/guarantee.ts";
import type { Trouble } from "../crash/breaks.ts";
import { STAGES } from "../crash/lane.ts";
import type { Channel } from "../crash/stage.ts";
import { deliveryStates } from "../crash/store-view.ts";
import { CALLED, type Cell } from "./cells.ts";
import { WatchedModel } from "./model.ts";
import {
  allHit,
  begin,
  type Fault,
  type Ground,
  isThrough,
  type Outcome,
  outcomeOf,
  type Running,
  SKIPPABLE,
  skip,
  until,
} from "./scene-run.ts";

const ALWAYS = Number.POSITIVE_INFINITY;
const HOUR_MS = 3_600_000;
const STEP_MS = 15_000;

const MARKS: Readonly<Record<Channel, string>> = { telegram: "👀", discord: "👀", slack: "eyes", web: "" };

type Outcomes = ReadonlyMap<Cell, Outcome>;

/**
 * One program, one platform, all its cells: each in a conversation of its own, those of one kind of fault at once. What can go
 * on beside others comes first, then the death of the process in the middle of all sends, the account without its line, and
 * an hour without the platform.
 */
export async function runPlatform(channel: Channel, cells: readonly Cell[]): Promise<Outcomes> {
  const model = new WatchedModel();
  const stage = await STAGES[channel]({
    start: SKIPPABLE,
    model: (request) => model.reply(request),
    ...(cells.some(({ kind }) => kind === "reaction") ? { account: { ackReaction: MARKS[channel] } } : {}),
  });
  try {
    await stage.ready();
    const { breaks } = stage;
    if (breaks === null) throw new Error(`${channel} has no line that can be broken`);
    const ground = { stage, breaks, model };
    const of = (...faults: readonly GuaranteeFault[]) => cells.filter(({ fault }) => faults.includes(fault));

    const outcomes = [
      await besideEachOther(ground, of("rate_limited", "server_error", "answer_cut", "conversation_gone")),
      await crashed(ground, of("crash_before", "crash_after")),
      await withoutLine(ground, of("adapter_down")),
      await withoutPlatform(ground, of("platform_down")),
    ];
    return new Map(outcomes.flatMap((some) => [...some]));
  } finally {
    await stage[Symbol.asyncDispose]();
  }
}

/**
 * Native commands first: the platform waits 3 s for their acknowledgement, which is short on a machine that does all the others.
 * Then the marks, which yield to messages (DL-5) and are sent only while few of those are on their way.
 */
async function beginAll(
  ground: Ground,
  cells: readonly Cell[],
  fault: (cell: Cell) => Fault,
): Promise<readonly Running[]> {
  const isCalled = ({ kind }: Cell): boolean => CALLED[kind] !== undefined;
  const isMark = ({ kind }: Cell): boolean => kind === "reaction";
  const together = (some: readonly Cell[]) => Promise.all(some.map((cell) => begin(ground, cell, fault(cell))));
  const called = await together(cells.filter(isCalled));
  const marked = await together(cells.filter(isMark));
  await until(() => marked.every(({ broken }) => broken.hits() > 0));
  return [...called, ...marked, ...(await together(cells.filter((cell) => !isCalled(cell) && !isMark(cell))))];
}

async function besideEachOther(ground: Ground, cells: readonly Cell[]): Promise<Outcomes> {
  const all = await beginAll(ground, cells, troubleOf);
  await until(isThrough(ground, all));
  return outcomes(ground, all);
}

function troubleOf({ kind, fault }: Cell): Fault {
  if (fault === "rate_limited") return { what: "429", times: 1 };
  if (fault === "server_error") return { what: "5xx", times: 2 };
  if (fault === "answer_cut") return { what: "cut", times: 1 };
  // Where no thread can be made nothing else is to be read either.
  return {
    what: "gone",
    times: ALWAYS,
    ...(kind === "thread" || kind === "private" ? { sending: "any" as const } : {}),
  };
}

/** SIGKILL while the platform has every one of these sends and has not answered it. */
async function crashed(ground: Ground, cells: readonly Cell[]): Promise<Outcomes> {
  const { bridge } = ground.stage;
  const held = (cell: Cell): Trouble => (cell.fault === "crash_before" ? "held" : "held after");
  const all = await beginAll(ground, cells, (cell) => ({ what: held(cell), times: ALWAYS }));
  await allHit(all);
  await bridge.process.kill();
  for (const { broken } of all) broken.off();
  await bridge.restart(SKIPPABLE);
  await until(isThrough(ground, all));
  return outcomes(ground, all);
}

/** Every one of them was refused once, and waits, when the account loses its line. */
async function withoutLine(ground: Ground, cells: readonly Cell[]): Promise<Outcomes> {
  const { stage, breaks } = ground;
  const all = await refusedAtFirst(ground, cells);
  const since = stage.bridge.process.logs.length;
  await breaks.line.goes();
  const isDown = () =>
    stage.bridge.process.logs.slice(since).some(({ state }) => state === "reconnecting" || state === "failed");
  if (!(await until(isDown))) throw new Error("the account has not noticed that its line is gone");
  const before = await texts(all);
  for (const { broken } of all) broken.off();
  // Each is due for its next try many times over.
  for (let passed = 0; passed < 60_000; passed += STEP_MS) await skip(ground.stage, STEP_MS);
  const meanwhile = await texts(all);
  breaks.line.returns();
  await until(isThrough(ground, all));
  return outcomes(ground, all, new Map(all.map((one, at) => [one, (meanwhile[at] ?? []).slice(before[at]?.length)])));
}

/** Every one of them was refused once when the platform's port closes for an hour, in which they are tried again and again. */
async function withoutPlatform(ground: Ground, cells: readonly Cell[]): Promise<Outcomes> {
  const { breaks } = ground;
  const all = await refusedAtFirst(ground, cells);
  await breaks.platform.goes();
  for (const { broken } of all) broken.off();
  for (let passed = 0; passed < HOUR_MS; passed += STEP_MS) await skip(ground.stage, STEP_MS);
  await breaks.platform.returns();
  const isDone = isThrough(ground, all);
  await until(async () => {
    // The next try may be minutes away; but a request that is under way must not run out of time by the clock alone.
    if (!isSending(ground, all)) await skip(ground.stage, STEP_MS);
    return isDone();
  });
  return outcomes(ground, all);
}

async function refusedAtFirst(ground: Ground, cells: readonly Cell[]): Promise<readonly Running[]> {
  const all = await beginAll(ground, cells, () => ({ what: "5xx", times: ALWAYS }));
  await allHit(all);
  return all;
}

function isSending({ stage }: Ground, all: readonly Running[]): boolean {
  const { folder } = stage.bridge.process;
  return all.some(({ place }) => deliveryStates(folder, place.to).includes("sending"));
}

function texts(all: readonly Running[]): Promise<readonly (readonly string[])[]> {
  return Promise.all(all.map(({ place }) => place.answers()));
}

async function outcomes(
  ground: Ground,
  all: readonly Running[],
  meanwhile: ReadonlyMap<Running, readonly string[]> = new Map(),
): Promise<Outcomes> {
  const done = all.map(async (one) => [one.cell, await outcomeOf(ground, one, meanwhile.get(one))] as const);
  return new Map(await Promise.all(done));
}
