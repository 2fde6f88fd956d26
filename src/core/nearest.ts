import { distance } from "fastest-levenshtein";

/** No name is this long; comparing costs time in proportion to what was written (FC-402). */
const LONGEST = 200;

/** The known names closest to a mistyped one: at most `count`, only those that are plausibly meant. */
export function nearestNames(written: string, known: readonly string[], count = 3): readonly string[] {
  if (written.length > LONGEST) return [];
  const wanted = written.toLowerCase();
  return known
    .map((name) => ({ name, edits: distance(wanted, name.toLowerCase()) }))
    .filter(
      ({ name, edits }) => edits <= Math.max(2, Math.floor(name.length / 3)) || name.toLowerCase().includes(wanted),
    )
    .sort((a, b) => a.edits - b.edits)
    .slice(0, count)
    .map(({ name }) => name);
}

/**
 * The known names of which the written one is surely a slip: one letter off, two in a longer name, or the same letters in another
 * order. Nearest first.
 */
export function mistypedNames(written: string, known: readonly string[]): readonly string[] {
  if (written.length > LONGEST) return [];
  const wanted = written.toLowerCase();
  const letters = (word: string): string => [...word].sort().join("");
  return known
    .map((name) => ({ name, edits: distance(wanted, name) }))
    .filter(
      ({ name, edits }) =>
        edits <= (Math.min(name.length, wanted.length) < 5 ? 1 : 2) || letters(name) === letters(wanted),
    )
    .sort((a, b) => a.edits - b.edits)
    .slice(0, 2)
    .map(({ name }) => name);
}
