/**
 * What can go wrong between a platform and the program, in one vocabulary for all platforms. Each emulator says in its
 * `fault-plays.ts` how it plays each of them in its platform's own terms, or that its platform cannot do that.
 */
export const FAULTS = [
  /** What people did is told more than once. */
  "duplicate",
  /** What people did is told in another order than they did it. */
  "reorder",
  /** What people did is told late, and what the program asks is answered late. */
  "delay",
  /** The connection ends before a request is carried out. */
  "cut_before",
  /** The connection ends when a request is carried out and not answered yet. */
  "cut_after",
  /** Connections stand and nothing moves on them any more. */
  "half_open",
  /** The platform's clock is not ours. */
  "clock_skew",
  /** Everything is refused for a while because it is too much. */
  "rate_limit_storm",
  /** Everything is refused for a while because the platform is broken. */
  "server_error",
  /** Of many things asked for at once only the first come. */
  "partial_batch",
  /** Nobody listens at the platform's address. */
  "down",
] as const;
export type FaultName = (typeof FAULTS)[number];

/** How much of a fault there is. */
export interface Dose {
  /** 1 (a little) to 3: how many requests are hit, how late or how far off something is; see each play. */
  readonly strength: number;
}

/** Takes a fault away; after it everything that waited goes on. */
export type Ends = () => void | Promise<void>;

export type Play<Emulator> =
  | {
      /** In the platform's own terms. */
      readonly how: string;
      /** The fault begins now and lasts until it is ended. */
      begins(emulator: Emulator, dose: Dose): Ends | Promise<Ends>;
    }
  /** Why the platform cannot do that. */
  | { readonly cannot: string };

/** How an emulator plays each fault. A fault that is new to the vocabulary does not compile until each has said so. */
export type FaultPlays<Emulator> = Readonly<Record<FaultName, Play<Emulator>>>;

/** The faults that a platform can do. */
export function playable<Emulator>(plays: FaultPlays<Emulator>): readonly FaultName[] {
  return FAULTS.filter((name) => !("cannot" in plays[name]));
}

/** A promise and the end that resolves it, for what waits until a fault is over. */
export function whileItLasts(): { readonly over: Promise<void>; readonly ends: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { over: promise, ends: resolve };
}

/** Holds what is passed to it back until a later one has gone before it, or until it is ended: then in its order. */
export function swapsNeighbours(): { readonly passes: (goes: () => void) => void; readonly ends: Ends } {
  const held: (() => void)[] = [];
  return {
    passes: (goes) => {
      const before = held.shift();
      if (before === undefined) held.push(goes);
      else {
        goes();
        before();
      }
    },
    ends: () => {
      for (const goes of held.splice(0)) goes();
    },
  };
}

/** Holds everything back until it is ended: then in its order. */
export function holdsBack(): { readonly passes: (goes: () => void) => void; readonly ends: Ends } {
  const held: (() => void)[] = [];
  return {
    passes: (goes) => void held.push(goes),
    ends: () => {
      for (const goes of held.splice(0)) goes();
    },
  };
}

/** What ends several things, in their order. */
export function ended(...ends: readonly Ends[]): Ends {
  return async () => {
    for (const end of ends) await end();
  };
}

/** How far a platform's clock is off, in milliseconds, by strength: behind, ahead, far ahead. */
export function skewOf({ strength }: Dose): number {
  const minutes = [-10, 5, 40][strength - 1] ?? 0;
  return minutes * 60_000;
}
