import { type Ends, ended, type FaultPlays, skewOf, whileItLasts } from "../fault-model.ts";
import type { TelegramEmulator } from "./emulator.ts";
import type { FaultKind } from "./faults.ts";
import type { Distortion } from "./update-queue.ts";

const ALWAYS = Number.POSITIVE_INFINITY;
const SLOW_MS = 150;

/** The same for polls and for everything else, so many times each. */
function hits(tg: TelegramEmulator, what: FaultKind, times: number): Ends {
  const faults = [tg.fails(what, { times }), tg.fails(what, { times, method: "getUpdates" })];
  return () => {
    for (const fault of faults) fault.off();
  };
}

function distorts(tg: TelegramEmulator, distortion: Distortion): Ends {
  return ended(...[...tg.world.bots.values()].map((bot) => bot.updates.distorts(distortion)));
}

/** How Telegram's faults are played to a bot that polls. */
export const TELEGRAM_PLAYS: FaultPlays<TelegramEmulator> = {
  duplicate: {
    how: "a batch of getUpdates has each update twice, and the last confirmed ones before them once more",
    begins: (tg) => distorts(tg, (due, confirmed) => [...confirmed, ...due.flatMap((one) => [one, one])]),
  },
  reorder: {
    how: "a batch of getUpdates comes in the reverse order of its update ids; it comes as soon as there are two",
    begins: (tg) => distorts(tg, (due) => (due.length < 2 ? [] : due.toReversed())),
  },
  delay: {
    how: "polls are held although there are updates; requests are carried out and answered late",
    begins: (tg, { strength }) => {
      const slow = tg.fails({ kind: "slow", ms: SLOW_MS * strength }, { times: ALWAYS });
      return ended(
        slow.off,
        distorts(tg, () => []),
      );
    },
  },
  cut_before: {
    how: "the next requests and polls are read, not carried out, and their connections end",
    begins: (tg, { strength }) => hits(tg, { kind: "cutBefore" }, strength),
  },
  cut_after: {
    how: "the next requests and polls are carried out, and their connections end without the answer",
    begins: (tg, { strength }) => hits(tg, { kind: "cutAfter" }, strength),
  },
  half_open: {
    how: "requests and polls are read and never answered; at strength 3 they are carried out all the same",
    begins: (tg, { strength }) => {
      const { over, ends } = whileItLasts();
      return ended(hits(tg, { kind: "stalls", until: over, carriedOutFirst: strength === 3 }, ALWAYS), ends);
    },
  },
  clock_skew: {
    how: "`date` of messages and the header `Date` are off",
    begins: (tg, dose) => {
      tg.skews(skewOf(dose));
      return () => tg.skews(0);
    },
  },
  rate_limit_storm: {
    how: "429 with `retry_after` for every request; from strength 2 on for polls too",
    begins: (tg, { strength }) => {
      const storm: FaultKind = { kind: "429", retryAfter: 1 };
      return strength === 1 ? tg.fails(storm, { times: ALWAYS }).off : hits(tg, storm, ALWAYS);
    },
  },
  server_error: {
    how: "502 for every request; from strength 2 on for polls too",
    begins: (tg, { strength }) =>
      strength === 1 ? tg.fails({ kind: "5xx" }, { times: ALWAYS }).off : hits(tg, { kind: "5xx" }, ALWAYS),
  },
  partial_batch: {
    how: "getUpdates brings one update at a time, however many wait",
    begins: (tg) => distorts(tg, (due) => due.slice(0, 1)),
  },
  down: {
    how: "the port is closed and every connection cut; people go on writing",
    begins: async (tg) => {
      await tg.stop();
      return () => tg.start();
    },
  },
};
