import { graphemeFloor } from "./cut.ts";

/** How natural a place to cut is. */
export type BreakQuality = "line" | "sentence" | "word" | "grapheme";

export interface BreakPoint {
  /** UTF-16 offset: the first piece ends before it. */
  readonly at: number;
  readonly quality: BreakQuality;
}

const SENTENCE_END = /[.!?…]["'”’)\]]*$/;
const WIDE_SENTENCE_END = /[。！？]$/;

/**
 * The best place to cut `text` at or before `max` (`DL-6`): the last line end in the second half of the room, else the
 * last sentence end there, else the last space in the last three quarters, else the last grapheme boundary, which may
 * be 0. White space at the cut belongs to neither side.
 */
export function findBreak(text: string, max: number): BreakPoint {
  const half = Math.ceil(max / 2);
  const line = text.lastIndexOf("\n", max);
  if (line >= half && line > 0) return { at: line, quality: "line" };
  let word = -1;
  for (let at = max; at >= half && at > 0; at -= 1) {
    if (isSpace(text, at)) {
      if (word === -1) word = at;
      if (SENTENCE_END.test(text.slice(Math.max(0, at - 8), at))) return { at, quality: "sentence" };
    } else if (WIDE_SENTENCE_END.test(text.charAt(at - 1))) return { at, quality: "sentence" };
  }
  for (let at = half; word === -1 && at > max / 4 && at > 0; at -= 1) if (isSpace(text, at)) word = at;
  if (word !== -1) return { at: word, quality: "word" };
  return { at: graphemeFloor(text, max), quality: "grapheme" };
}

/** The last line end at or before `max`, for code, whose lines stay whole; else as {@link findBreak}. */
export function findCodeBreak(text: string, max: number): BreakPoint {
  const line = text.lastIndexOf("\n", max);
  return line > 0 ? { at: line, quality: "line" } : findBreak(text, max);
}

/** The largest `n` in 0…`max` for which `fits(n)` holds, if `fits` never becomes true again; about 2·log(n) questions. */
export function largestFitting(max: number, fits: (n: number) => boolean, first = 1): number {
  if (max < 1) return 0;
  let low = 0;
  let high = Math.min(first, max);
  while (fits(high)) {
    low = high;
    if (high === max) return max;
    high = Math.min(max, high * 2);
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function isSpace(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit === 32 || unit === 10 || unit === 9 || unit === 0x3000 || unit === 0xa0;
}
