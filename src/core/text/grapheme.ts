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
