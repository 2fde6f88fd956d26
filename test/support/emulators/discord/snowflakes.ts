/** First millisecond of the platform's time. */
const DISCORD_EPOCH = 1_420_070_400_000;
const STEP = 1n << 22n;

/** Gives ids as the platform does: growing, with the time of their birth in their upper bits. */
export class Snowflakes {
  readonly #clock: () => number;
  #last = 0n;

  /** `clock` gives milliseconds since the epoch. */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** The next id: greater than every one before, even when the clock stands still or goes back. */
  next(): string {
    const base = BigInt(Math.max(0, Math.floor(this.#clock()) - DISCORD_EPOCH)) * STEP;
    this.#last = base > this.#last ? base : this.#last + 1n;
    return String(this.#last);
  }
}

/** Whether a text could be an id. */
export function isSnowflake(text: string): boolean {
  return /^[1-9]\d{0,19}$/.test(text);
}

/** Order of two ids: negative when the first is older. */
export function compareIds(a: string, b: string): number {
  return a.length === b.length ? (a < b ? -1 : a > b ? 1 : 0) : a.length - b.length;
}
