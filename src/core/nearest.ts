import { distance } from "fastest-levenshtein";

/** The known names closest to a mistyped one: at most `count`, only those that are plausibly meant. */
export function nearestNames(written: string, known: readonly string[], count = 3): readonly string[] {
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
