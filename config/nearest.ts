/** Edit distance where a swap of neighbours counts one (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(at(row, j - 1) + 1, at(rows[i - 1], j) + 1, at(rows[i - 1], j - 1) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, at(rows[i - 2], j - 2) + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return at(rows[a.length], b.length);
}

function at(row: readonly number[] | undefined, index: number): number {
  return row?.[index] ?? Number.POSITIVE_INFINITY;
}

/**
 * The candidate somebody most likely meant by `written`, or null when none is near: at most a third of the letters differ,
 * or one holds the other (`dm` → `dmPolicy`, `token` → `botToken`).
 */
export function nearest(written: string, candidates: readonly string[]): string | null {
  const wanted = written.toLowerCase();
  let best: { readonly name: string; readonly score: number } | null = null;
  for (const name of candidates) {
    const candidate = name.toLowerCase();
    const distance = editDistance(wanted, candidate);
    const near = distance <= Math.max(1, Math.floor(Math.max(wanted.length, candidate.length) / 3));
    const holds =
      wanted.length >= 2 && candidate.length >= 2 && (candidate.includes(wanted) || wanted.includes(candidate));
    if (!near && !holds) continue;
    const score = near ? distance : distance + 100;
    if (best === null || score < best.score) best = { name, score };
  }
  return best?.name ?? null;
}

/** The remedy sentence for a name that is not one of `candidates`. */
export function didYouMean(written: string, candidates: readonly string[]): string {
  const near = nearest(written, candidates);
  if (near !== null) return `Did you mean "${near}"?`;
  if (candidates.length === 0) return "There is none to choose from.";
  return `Possible here: ${[...candidates].sort().join(", ")}.`;
}
