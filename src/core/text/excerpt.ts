import { graphemeCeil, graphemeFloor } from "./grapheme.ts";

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
