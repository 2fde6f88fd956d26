import type { Clock } from "../core/runtime.ts";
import { pause } from "../core/waiting.ts";

const MINUTE_MS = 60_000;
const FREE_PER_MINUTE = 10;
const WAITING_PER_ADDRESS = 5;
/** Beyond it all new addresses share one count, so that the counts cannot grow without end. */
const MOST_ADDRESSES = 10_000;
const PAUSE_MS = 1_000;

interface Tries {
  /** When wrong ones were made, oldest first; at most `FREE_PER_MINUTE`. */
  wrongAt: number[];
  waiting: number;
  last: Promise<void>;
}

export type Verdict = "right" | "wrong" | "refused";

export interface GuessLimit {
  /** Looks whether what an address sent is the token; `refused`: too many are waiting, so it was not looked at. */
  check(address: string, isRight: () => boolean): Promise<Verdict>;
}

/**
 * Slows down guessing without locking anybody out (FC-410): after ten wrong tokens in a minute an address gets one look a
 * second, one after the other. The right token is always taken when it is looked at, and other addresses notice nothing.
 */
export function createGuessLimit(clock: Clock, pauseMs: number = PAUSE_MS): GuessLimit {
  const byAddress = new Map<string, Tries>();

  function triesOf(address: string): Tries {
    const known = byAddress.get(address);
    if (known !== undefined) return known;
    for (const [other, tries] of byAddress) {
      if (tries.waiting === 0 && !isRecent(tries.wrongAt.at(-1))) byAddress.delete(other);
      if (byAddress.size < MOST_ADDRESSES) break;
    }
    const key = byAddress.size < MOST_ADDRESSES ? address : "";
    const made = byAddress.get(key) ?? { wrongAt: [], waiting: 0, last: Promise.resolve() };
    byAddress.set(key, made);
    return made;
  }

  const isRecent = (at: number | undefined): boolean => at !== undefined && at > clock.now() - MINUTE_MS;

  return {
    check: async (address, isRight) => {
      const tries = triesOf(address);
      tries.wrongAt = tries.wrongAt.filter(isRecent);
      if (tries.wrongAt.length >= FREE_PER_MINUTE) {
        if (tries.waiting >= WAITING_PER_ADDRESS) return "refused";
        tries.waiting += 1;
        tries.last = tries.last.then(() => pause(pauseMs, null));
        await tries.last;
        tries.waiting -= 1;
      }
      if (isRight()) return "right";
      tries.wrongAt = [...tries.wrongAt, clock.now()].slice(-FREE_PER_MINUTE);
      return "wrong";
    },
  };
}
