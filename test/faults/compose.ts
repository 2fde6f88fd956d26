import { type Random, random } from "../concurrency/random.ts";
import { CHANNELS, type Channel } from "../crash/stage.ts";
import type { FaultName } from "../support/emulators/fault-model.ts";
import type { Doing } from "./echo-model.ts";
import type { FaultScript, PlatformFault, ScriptedFault, ScriptedMessage } from "./script.ts";

export interface TrialSize {
  /** How long people write, milliseconds. */
  readonly ms: number;
  readonly messages: number;
  /** How many faults the platforms have. */
  readonly faults: number;
  /** Share of the seeds in which the process is killed once. */
  readonly kills: number;
}

export const TRIAL: TrialSize = { ms: 3_500, messages: 48, faults: 9, kills: 0.5 };

const TALKS = 3;
const SHORTEST_MS = 150;
const LONGEST_MS = 1_500;
const JUMPS = [30, 120, 600];

/** The faults each channel can play. */
export type Playable = Readonly<Record<Channel, readonly FaultName[]>>;

/** The script of a seed: the same for the same seed and size. */
export function composed(seed: number, playable: Playable, size: TrialSize = TRIAL): FaultScript {
  const dice = random(seed, "faults");
  const messages = Array.from({ length: size.messages }, () => message(dice, size.ms)).toSorted((a, b) => a.at - b.at);
  const faults: ScriptedFault[] = [];
  for (let tries = 0; faults.length < size.faults && tries < size.faults * 10; tries += 1) {
    const next = platformFault(dice, playable, size.ms);
    if (!faults.some((one) => collides(one, next))) faults.push(next);
  }
  if (dice.chance(size.kills)) faults.push({ at: dice.below(size.ms), on: "program", fault: "kill" });
  if (dice.chance(0.3))
    faults.push({ at: dice.below(size.ms), on: "program", fault: "clock_jump", seconds: dice.pick(JUMPS) ?? 30 });
  return { seed, talks: TALKS, messages, faults: faults.toSorted((a, b) => a.at - b.at) };
}

function message(dice: Random, ms: number): ScriptedMessage {
  const channel = dice.pick(CHANNELS) ?? "telegram";
  const kind = dice.below(10);
  const long: Doing = channel === "discord" ? "chunks" : "pieces";
  const does: Doing = kind < 6 ? "plain" : kind < 8 ? "stream" : kind < 9 ? "tool" : long;
  return { at: dice.below(ms), channel, talk: dice.below(TALKS), does };
}

/** Any fault of any platform, beginning within so many milliseconds. */
export function platformFault(dice: Random, playable: Playable, ms: number): PlatformFault {
  const on = dice.pick(CHANNELS.filter((channel) => playable[channel].length > 0)) ?? "telegram";
  return {
    at: dice.below(ms),
    for: SHORTEST_MS + dice.below(LONGEST_MS - SHORTEST_MS),
    on,
    fault: dice.pick(playable[on]) ?? "down",
    strength: 1 + dice.below(3),
  };
}

/** The same fault of one platform is not begun again while it lasts: its end would end both. */
function collides(one: ScriptedFault, other: PlatformFault): boolean {
  if (one.on === "program" || one.on !== other.on || one.fault !== other.fault) return false;
  return one.at <= other.at + other.for && other.at <= one.at + one.for;
}
