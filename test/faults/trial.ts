import { setTimeout as sleep } from "node:timers/promises";
import { CHANNELS, type Channel } from "../crash/stage.ts";
import { movingWork, openRows } from "../crash/store-view.ts";
import { skip } from "../guarantee/scene-run.ts";
import type { Ends } from "../support/emulators/fault-model.ts";
import { type Account, accountFor, isClean, type TalkRecord } from "./account.ts";
import type { Ground } from "./ground.ts";
import { markOf } from "./marks.ts";
import { type RunningTalk, recordsOf } from "./records.ts";
import type { FaultScript, ScriptedFault } from "./script.ts";
import type { UnansweredSend } from "./stand.ts";
import { unknownSends } from "./unknown-sends.ts";

const LOOK_MS = 100;
/** Retries of sends wait up to some minutes after many failures; nothing here fails so often. */
const SETTLE_MS = 60_000;
/** Nothing has moved for so long: what was told twice has been told. */
const CALM_MS = 300;

export interface TrialResult {
  readonly account: Account;
  readonly ms: number;
  /** Where something is missing: what is still open in the store, and the program's last lines. */
  readonly rest: readonly string[];
}

/**
 * Plays a script on a program that runs, in conversations of its own, and accounts for every message when all faults are over
 * and nothing is on its way any more. `run` tells trials on one ground apart.
 */
export async function runTrial(ground: Ground, script: FaultScript, run: string): Promise<TrialResult> {
  const begun = performance.now();
  await ground.ready();
  const talks = await openTalks(ground, script, run);
  const unknown: UnansweredSend[] = [];
  const start = performance.now();
  const faults = script.faults.map((fault) => play(ground, fault, { start, unknown }));
  for (const [index, message] of script.messages.entries()) {
    await until(start + message.at);
    const { talk, said, times } = talkOf(talks, message.channel, message.talk);
    const mark = markOf(run, index);
    said.push(mark);
    times.set(mark, performance.now() - start);
    await talk.says(`${message.does} ${mark}.`);
  }
  await Promise.all(faults);
  await ground.ready();
  const account = await settled(ground, () => recordsOf(ground, { talks, faults: script.faults, unknown }));
  const rest = isClean(account) ? [] : restOf(ground);
  return { account, ms: performance.now() - begun, rest };
}

async function openTalks(ground: Ground, script: FaultScript, run: string): Promise<readonly RunningTalk[]> {
  const opened = CHANNELS.flatMap((channel) =>
    Array.from({ length: script.talks }, async (_unused, index): Promise<RunningTalk> => {
      const name = `${run}t${index}`;
      const talk = await ground.stands[channel].talk(name, index);
      return { channel, name, talk, said: [], times: new Map() };
    }),
  );
  return Promise.all(opened);
}

function talkOf(talks: readonly RunningTalk[], channel: Channel, index: number): RunningTalk {
  const found = talks.filter((one) => one.channel === channel)[index];
  if (found === undefined) throw new Error(`${channel} has no conversation ${index}`);
  return found;
}

/** Resolves when the fault is over. `unknown` takes what nobody knows of when the program dies or its clock jumps. */
export async function play(
  ground: Ground,
  fault: ScriptedFault,
  { start, unknown }: { readonly start: number; readonly unknown: UnansweredSend[] },
): Promise<void> {
  await until(start + fault.at);
  if (fault.on !== "program") {
    const ends: Ends = await ground.stands[fault.on].begins(fault.fault, fault);
    await sleep(fault.for);
    await ends();
    return;
  }
  const doubtful = (): void => void unknown.push(...unknownSends(ground.bridge.process.folder, "telegram"));
  if (fault.fault === "kill") {
    await ground.bridge.process.kill();
    doubtful();
    await ground.restart();
    return;
  }
  // The time of sends that are under way is over with the jump: nobody knows of them any more.
  doubtful();
  await jump(ground, fault.seconds * 1_000);
  doubtful();
}

/** A program that is away at that moment finds its clock where it is when it starts. */
async function jump({ bridge }: Ground, ms: number): Promise<void> {
  await skip({ bridge }, ms).catch(() => undefined);
}

async function settled(ground: Ground, look: () => Promise<readonly TalkRecord[]>): Promise<Account> {
  const deadline = performance.now() + SETTLE_MS;
  let calmSince: number | null = null;
  for (;;) {
    const isStill =
      Object.values(movingWork(ground.bridge.process.folder)).every((count) => count === 0) &&
      CHANNELS.every((channel) => ground.stands[channel].isQuiet());
    const account = accountFor(await look());
    const now = performance.now();
    const isDone = isStill && account.lost.length === 0;
    calmSince = isDone ? (calmSince ?? now) : null;
    if (now > deadline || (calmSince !== null && now - calmSince >= CALM_MS)) return account;
    await sleep(LOOK_MS);
  }
}

/** What is still open in the store, and the program's last warnings. */
export function restOf({ bridge }: Ground): readonly string[] {
  const lines = bridge.process.logs.filter(({ level }) => level !== "debug" && level !== "info").slice(-12);
  return [...openRows(bridge.process.folder).slice(0, 12), ...lines.map((line) => JSON.stringify(line))];
}

async function until(at: number): Promise<void> {
  const ms = at - performance.now();
  if (ms > 0) await sleep(ms);
}
