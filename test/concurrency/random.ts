/** Numbers that look like chance and are the same for the same seed. */
export interface Random {
  /** From 0 up to, not with, 1. */
  next(): number;
  /** A whole number from 0 up to, not with, `below`. */
  below(below: number): number;
  chance(share: number): boolean;
  pick<T>(from: readonly T[]): T | undefined;
}

/**
 * Seeded by any values: a model's answer is a function of the seed and of what it is asked, so that the same question after a
 * crash gets the same answer, whatever ran beside it.
 */
export function random(...seed: readonly (string | number)[]): Random {
  let state = hash(seed.join("\u0000"));
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { next, below, chance: (share) => next() < share, pick: (from) => from[below(from.length)] };
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}
