/** The known names closest to a mistyped one: at most `count`, only those that are plausibly meant. */
export function nearestNames(written: string, known: readonly string[], count = 3): readonly string[] {
  const wanted = written.toLowerCase();
  return known
    .map((name) => ({ name, distance: distanceOf(wanted, name.toLowerCase()) }))
    .filter(
      ({ name, distance }) =>
        distance <= Math.max(2, Math.floor(name.length / 3)) || name.toLowerCase().includes(wanted),
    )
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ name }) => name);
}

/** Edit distance with one row of memory. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, from] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, to] of [...b].entries()) {
      const swap = (row[j] ?? 0) + (from === to ? 0 : 1);
      next.push(Math.min(swap, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? a.length;
}
