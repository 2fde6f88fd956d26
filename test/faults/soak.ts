import { setTimeout as sleep } from "node:timers/promises";
import { cpuMs, rssMb } from "../../bench/process-usage.ts";
import { random } from "../concurrency/random.ts";
import { CHANNELS } from "../crash/stage.ts";
import { movingWork } from "../crash/store-view.ts";
import { type Account, accountFor } from "./account.ts";
import { platformFault } from "./compose.ts";
import type { Doing } from "./echo-model.ts";
import { type Ground, openGround } from "./ground.ts";
import { markOf } from "./marks.ts";
import { type RunningTalk, recordsOf } from "./records.ts";
import type { ScriptedFault } from "./script.ts";
import type { UnansweredSend } from "./stand.ts";
import { play, restOf } from "./trial.ts";

export interface SoakOptions {
  readonly ms: number;
  readonly perSecond: number;
  readonly seed: number;
  /** A fault begins about so often, milliseconds. */
  readonly faultEveryMs: number;
  /** Called about every minute with the figures so far. */
  readonly progress?: (line: string) => void;
}

export interface SoakResult {
  readonly account: Account;
  readonly figures: Readonly<Record<string, number | readonly number[]>>;
  /** Resident memory at the end over that after the first tenth. */
  readonly rssRatio: number;
  readonly rest: readonly string[];
}

/**
 * Out of order on Discord after a gap: what a start or a fresh session hears of the time before is waited for for a moment only,
 * so that a slow replay holds nobody up (IN-14, CH-5), and on a busy machine what is said now overtakes it.
 */
const isOvertaken = (line: string): boolean => line.includes(" in discord ");

/** What the memory at the end may be, over that after the first tenth. */
export const STEADY = 1.1;

/** People come, write so many messages, and go: conversations come to be all the time. */
const MESSAGES_EACH = 12;
/** About so long a person waits from one message to the next. */
const PAUSE_MS = 5_000;
/** The one kill comes so soon: memory is compared within one life of the process. */
const KILL_AT_MS = 4_000;
/** So long the next life goes on before its memory is looked at; of short runs a quarter. */
const WARM_UP_MS = 60_000;
/**
 * As `npm start`, and the heap is kept small: otherwise what is measured is for minutes how much V8 lets lie about before it
 * cleans up. What is never let go grows all the same.
 */
const NODE_ARGS = ["--max-semi-space-size=4", "--optimize-for-size"];
/** Memory is read so often; a figure is the median of a twentieth of the run's readings. */
const READ_MS = 500;
const WINDOW = 0.05;
const SETTLE_MS = 120_000;
const LOOK_MS = 500;
const MINUTE_MS = 60_000;

/**
 * People write at a steady rate for a while, faults happen all the time, and the process is killed once at the beginning. In the
 * end every message is accounted for, and the memory of the second life is compared: at the end against after the first tenth.
 */
export async function runSoak(options: SoakOptions): Promise<SoakResult> {
  await using ground = await openGround({
    skippable: false,
    nodeArgs: NODE_ARGS,
    config: { logging: { level: "info", content: false } },
    bridge: { keepRequests: false },
    webReads: "store",
  });
  const begun = performance.now();
  const unknown: UnansweredSend[] = [];
  const faults: ScriptedFault[] = [];
  const readings: { readonly at: number; readonly mb: number }[] = [];
  const end = { isOver: false };
  const life = { warmAt: Number.POSITIVE_INFINITY };
  const memory = readMemory(ground, { begun, readings, end });
  const troubles = trouble(ground, { options, begun, faults, unknown, life });
  const talks = await people(ground, options, begun);
  const usedMs = cpuMs(ground.bridge.process.pid);
  end.isOver = true;
  await Promise.all([memory, troubles]);
  await ground.ready();
  const whole = await settled(ground, () => recordsOf(ground, { talks, faults, unknown }));
  const account = { ...whole, disordered: whole.disordered.filter((line) => !isOvertaken(line)) };
  const warm = readings.filter(({ at }) => at >= life.warmAt);
  const window = Math.ceil(warm.length * WINDOW);
  const tenth = Math.ceil(warm.length / 10);
  const early = median(warm.slice(tenth, tenth + window));
  const late = median(warm.slice(-window));
  const figures = {
    minutes: Math.round(options.ms / 600) / 100,
    perSecond: options.perSecond,
    conversations: talks.length,
    said: account.said,
    answered: account.answered,
    lost: account.lost.length,
    doubled: account.doubled.length,
    labelledDoubles: account.labelled.length,
    misplaced: account.misplaced.length,
    disordered: account.disordered.length,
    overtakenOnDiscord: whole.disordered.length - account.disordered.length,
    leftOver: account.extra.length,
    faults: faults.length,
    kills: 1,
    measuredSeconds: Math.round((options.ms - life.warmAt) / 1_000),
    rssAfterFirstTenthMb: Math.round(early),
    rssEndMb: Math.round(late),
    rssRatio: Math.round((late / early) * 1_000) / 1_000,
    rssByTenthMb: byTenth(readings, options.ms),
    cpuMsPerMessage: Math.round((usedMs / account.said) * 10) / 10,
  };
  return { account, figures, rssRatio: late / early, rest: restOf(ground) };
}

/** Writes at the rate until the time is over; resolves with every conversation there was. */
async function people(ground: Ground, options: SoakOptions, begun: number): Promise<readonly RunningTalk[]> {
  const { ms, perSecond, seed, progress } = options;
  const dice = random(seed, "people");
  const all: RunningTalk[] = [];
  const here: RunningTalk[] = [];
  let [count, coming] = [0, 0];
  const most = Math.ceil((perSecond * PAUSE_MS) / 1_000);
  let minute = 0;
  for (let index = 0; (index / perSecond) * 1_000 < ms; index += 1) {
    await until(begun + (index / perSecond) * 1_000);
    if (here.length + coming < most) {
      coming += 1;
      void newTalk(ground, count, seed).then((come) => {
        coming -= 1;
        all.push(come);
        here.push(come);
      });
      count += 1;
    }
    while (here.length === 0) await sleep(LOOK_MS / 10);
    const at = dice.below(here.length);
    const one = here[at];
    if (one === undefined) continue;
    const mark = markOf(`k${seed}`, index);
    one.said.push(mark);
    one.times.set(mark, performance.now() - begun);
    await one.talk.says(`${doing(dice.below(20), one)} ${mark}.`);
    if (one.said.length >= MESSAGES_EACH) here.splice(at, 1);
    if ((performance.now() - begun) / MINUTE_MS < minute + 1) continue;
    minute += 1;
    progress?.(`minute ${minute}: ${index + 1} messages, ${Math.round(rssMb(ground.bridge.process.pid))} MB`);
  }
  return all;
}

async function newTalk(ground: Ground, count: number, seed: number): Promise<RunningTalk> {
  const channel = CHANNELS[count % CHANNELS.length] ?? "telegram";
  const name = `k${seed}t${count}`;
  const talk = await ground.stands[channel].talk(name, Math.floor(count / CHANNELS.length));
  return { channel, name, talk, said: [], times: new Map() };
}

function doing(kind: number, { channel }: RunningTalk): Doing {
  if (kind < 16) return "plain";
  if (kind < 18) return "stream";
  if (kind < 19) return "tool";
  return channel === "discord" ? "chunks" : "pieces";
}

interface Troubled {
  readonly options: SoakOptions;
  readonly begun: number;
  readonly faults: ScriptedFault[];
  readonly unknown: UnansweredSend[];
  readonly life: { warmAt: number };
}

/** The kill, and then faults until shortly before the end. */
async function trouble(ground: Ground, { options, begun, faults, unknown, life }: Troubled): Promise<void> {
  const { ms, seed, faultEveryMs } = options;
  const dice = random(seed, "trouble");
  const playing: Promise<void>[] = [];
  const begins = (fault: ScriptedFault): void => {
    faults.push(fault);
    playing.push(play(ground, fault, { start: begun, unknown }));
  };
  begins({ at: KILL_AT_MS, on: "program", fault: "kill" });
  await playing.at(-1);
  const restarted = performance.now() - begun;
  life.warmAt = restarted + Math.min(WARM_UP_MS, ms / 4);
  for (let at = restarted + faultEveryMs; at < ms; at += faultEveryMs * (0.5 + dice.next())) {
    const fault = { ...platformFault(dice, ground.playable, 0), at };
    await until(begun + at);
    begins(fault);
    // The next one may be the same: its end would end both.
    await playing.at(-1);
    at = Math.max(at, performance.now() - begun);
  }
  await Promise.all(playing);
}

interface Reading {
  readonly begun: number;
  readonly readings: { readonly at: number; readonly mb: number }[];
  readonly end: { readonly isOver: boolean };
}

async function readMemory({ bridge }: Ground, { begun, readings, end }: Reading): Promise<void> {
  while (!end.isOver) {
    try {
      readings.push({ at: performance.now() - begun, mb: rssMb(bridge.process.pid) });
    } catch (error) {
      // It is killed once and another one starts.
      if (!(error instanceof Error && "code" in error)) throw error;
    }
    await sleep(READ_MS);
  }
}

/** At the end of each tenth of the run. */
function byTenth(readings: readonly { readonly at: number; readonly mb: number }[], ms: number): readonly number[] {
  return Array.from({ length: 10 }, (_unused, index) => {
    const last = readings.findLast(({ at }) => at <= (ms * (index + 1)) / 10);
    return Math.round(last?.mb ?? 0);
  });
}

function median(readings: readonly { readonly mb: number }[]): number {
  const sorted = readings.map(({ mb }) => mb).toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error("the memory was never read");
  return middle;
}

async function settled(ground: Ground, look: () => ReturnType<typeof recordsOf>): Promise<Account> {
  const deadline = performance.now() + SETTLE_MS;
  for (;;) {
    const isStill =
      Object.values(movingWork(ground.bridge.process.folder)).every((count) => count === 0) &&
      CHANNELS.every((channel) => ground.stands[channel].isQuiet());
    const isLate = performance.now() > deadline;
    if (isStill || isLate) {
      const account = accountFor(await look());
      if (account.lost.length === 0 || isLate) return account;
    }
    await sleep(LOOK_MS);
  }
}

async function until(at: number): Promise<void> {
  const ms = at - performance.now();
  if (ms > 0) await sleep(ms);
}
