import type { DemoPiece } from "./reply.ts";

const WORDS: readonly string[] =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split(
    " ",
  );
const MAX = 1000;

/** A number in digits or as a word up to twenty; anything else is 3. At most 1000. */
export function readNumber(text: string): number {
  const word = WORDS.indexOf(text.toLowerCase());
  if (word >= 0) return word;
  const number = Number(text);
  return Number.isInteger(number) && number > 0 ? Math.min(number, MAX) : 3;
}

/** `1, 2, 3 — done.`; with `waitMs` each number is a piece of its own that comes after that time. */
export function countPieces(to: number, waitMs: number | null): DemoPiece[] {
  const numbers = Array.from({ length: to }, (_unused, at) => `${at === 0 ? "" : ", "}${at + 1}`);
  if (waitMs === null)
    return [
      { text: numbers.join(""), waitMs: null },
      { text: " — done.", waitMs: null },
    ];
  return [...numbers.map((text) => ({ text, waitMs })), { text: " — done.", waitMs: null }];
}
