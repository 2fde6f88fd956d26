import { graphemeCeil, graphemeFloor } from "./grapheme.ts";

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
 */
export function cutMiddle(text: string, max: number): Cut {
  const total = utf8Length(text, Number.POSITIVE_INFINITY);
  if (total <= max) return { text, truncated: false };
  const room = max - 64;
  if (max < 200) return cutBytes(text, max);
  const headRoom = Math.floor((room * 2) / 3);
  const head = text.slice(0, graphemeFloor(text, unitsWithin(text, headRoom)));
  const tail = text.slice(graphemeCeil(text, text.length - unitsWithinFromEnd(text, room - headRoom)));
  const left = utf8Length(head, max) + utf8Length(tail, max);
  return { text: `${head}\n[… ${total - left} bytes left out …]\n${tail}`, truncated: true };
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
