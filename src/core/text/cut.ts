/** A text that was cut, or the text itself. */
export interface Cut {
  readonly text: string;
  readonly truncated: boolean;
}

/**
 * Cuts to at most `max` UTF-16 units with `marker` (default `…`) at the end, never inside a grapheme (`ST-8`: a block
 * of 4,000 characters). A marker that does not fit is left out.
 */
export function cutText(text: string, max: number, marker = "…"): Cut {
  if (text.length <= max) return { text, truncated: false };
  const end = marker.length <= max ? marker : "";
  return { text: text.slice(0, graphemeFloor(text, max - end.length)) + end, truncated: true };
}

/** {@link cutText} with `max` in bytes of UTF-8. */
export function cutBytes(text: string, max: number, marker = "…"): Cut {
  if (utf8Length(text, max) <= max) return { text, truncated: false };
  const end = utf8Length(marker, max) <= max ? marker : "";
  const room = max - utf8Length(end, max);
  return { text: text.slice(0, graphemeFloor(text, unitsWithin(text, room))) + end, truncated: true };
}

/**
 * Keeps head and tail within `max` bytes of UTF-8 and puts a note between them that says how many bytes are missing
 * (`TN-17`: a tool result at 32 KiB). Two thirds of the room go to the head. `max` below 200 keeps only the head.
 * `skipped`: bytes that were in the middle of it and are not in `text` any more.
 */
export function cutMiddle(text: string, max: number, skipped = 0): Cut {
  const total = utf8Length(text, Number.POSITIVE_INFINITY);
  if (total <= max) return { text, truncated: false };
  const room = max - 64;
  if (max < 200) return cutBytes(text, max);
  const headRoom = Math.floor((room * 2) / 3);
  const head = text.slice(0, graphemeFloor(text, unitsWithin(text, headRoom)));
  const tail = text.slice(graphemeCeil(text, text.length - unitsWithinFromEnd(text, room - headRoom)));
  const left = utf8Length(head, max) + utf8Length(tail, max);
  return { text: `${head}\n[… ${total + skipped - left} bytes left out …]\n${tail}`, truncated: true };
}

/** Bytes of UTF-8 in `text`; stops counting soon after `stopAfter`. A lone surrogate counts three, as it is sent. */
export function utf8Length(text: string, stopAfter = Number.POSITIVE_INFINITY): number {
  // No UTF-16 unit takes more than three bytes, and none takes less than one.
  if (text.length > stopAfter) return text.length;
  return Buffer.byteLength(text, "utf8");
}

function unitsWithin(text: string, bytes: number): number {
  let used = 0;
  for (let at = 0; at < text.length; ) {
    const [size, units] = codePointSize(text, at);
    if (used + size > bytes) return at;
    used += size;
    at += units;
  }
  return text.length;
}

function unitsWithinFromEnd(text: string, bytes: number): number {
  let used = 0;
  let at = text.length;
  while (at > 0) {
    const unit = text.charCodeAt(at - 1);
    const pair = unit >= 0xdc00 && unit <= 0xdfff && at > 1 && codePointSize(text, at - 2)[1] === 2;
    const size = codePointSize(text, pair ? at - 2 : at - 1)[0];
    if (used + size > bytes) break;
    used += size;
    at -= pair ? 2 : 1;
  }
  return text.length - at;
}

function codePointSize(text: string, at: number): [bytes: number, units: number] {
  const point = text.codePointAt(at) ?? 0;
  if (point > 0xffff) return [4, 2];
  if (point > 0x7ff) return [3, 1];
  return [point > 0x7f ? 2 : 1, 1];
}

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** Emoji families and Indic clusters are far shorter; a longer "grapheme" is an attack and is cut between code points. */
const WINDOW = 256;

/** The largest code point boundary that is not after `index` (UTF-16 units). */
export function codePointFloor(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  return isLow(text.charCodeAt(index)) && isHigh(text.charCodeAt(index - 1)) ? index - 1 : index;
}

/** The smallest code point boundary that is not before `index` (UTF-16 units). */
export function codePointCeil(text: string, index: number): number {
  const floor = codePointFloor(text, index);
  return floor < index && floor + 2 <= text.length ? floor + 2 : floor;
}

/**
 * The largest grapheme boundary that is not after `index` (UTF-16 units), so that no emoji, flag or combined letter is
 * torn. A cluster that is longer than 256 units is cut at a code point instead.
 */
export function graphemeFloor(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  if (isPlain(text.charCodeAt(index)) && isPlain(text.charCodeAt(index - 1))) return index;
  const { from, exact } = windowStart(text, index);
  const segment = SEGMENTER.segment(text.slice(from, index + WINDOW)).containing(index - from);
  const boundary = from + (segment?.index ?? 0);
  return boundary > from || exact ? boundary : codePointFloor(text, index);
}

/** The smallest grapheme boundary that is not before `index` (UTF-16 units); a code point boundary in an overlong cluster. */
export function graphemeCeil(text: string, index: number): number {
  const floor = graphemeFloor(text, index);
  if (floor >= index) return floor;
  const { from } = windowStart(text, index);
  const segment = SEGMENTER.segment(text.slice(from, index + WINDOW)).containing(index - from);
  const end = segment === undefined ? index : from + segment.index + segment.segment.length;
  return end < Math.min(text.length, index + WINDOW) ? end : codePointCeil(text, index);
}

/** A place before `index` to segment from; `exact` when it is surely a boundary: the start, or between plain characters. */
function windowStart(text: string, index: number): { readonly from: number; readonly exact: boolean } {
  const limit = Math.max(0, index - WINDOW);
  for (let at = index - 1; at > limit; at -= 1) {
    if (isPlain(text.charCodeAt(at)) && isPlain(text.charCodeAt(at - 1))) return { from: at, exact: true };
  }
  return { from: codePointFloor(text, limit), exact: limit === 0 };
}

/** Printable ASCII or a newline never joins with such a neighbour. */
function isPlain(unit: number): boolean {
  return (unit >= 32 && unit < 127) || unit === 10;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** About `max` UTF-16 units of a text around a place in it, in one line, with `…` where something is left out. */
export function excerptAround(
  text: string,
  place: { readonly start: number; readonly end: number },
  max: number,
): string {
  if (text.length <= max) return oneLine(text);
  const room = Math.max(0, max - (place.end - place.start));
  // A third before, the rest behind: what follows a word says more than what led to it.
  const wanted = Math.min(place.start - Math.floor(room / 3), text.length - max);
  const start = wanted <= 0 ? 0 : wordStart(text, graphemeCeil(text, wanted), place.start);
  const end = graphemeFloor(text, Math.min(text.length, start + max));
  return `${start > 0 ? "…" : ""}${oneLine(text.slice(start, end))}${end < text.length ? "…" : ""}`;
}

/** The beginning of the next word, when one is near. */
function wordStart(text: string, from: number, before: number): number {
  const space = text.slice(from, Math.min(from + 20, before)).search(/\s/);
  return space === -1 ? from : from + space + 1;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

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
