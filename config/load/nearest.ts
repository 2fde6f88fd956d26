import { nearestNames } from "../../src/core/nearest.ts";

/** The candidate somebody most likely meant by `written`, or null when none is near. */
export function nearest(written: string, candidates: readonly string[]): string | null {
  return nearestNames(written, candidates, 1)[0] ?? null;
}

/** The remedy sentence for a name that is not one of `candidates`. */
export function didYouMean(written: string, candidates: readonly string[]): string {
  const near = nearest(written, candidates);
  if (near !== null) return `Did you mean "${near}"?`;
  if (candidates.length === 0) return "There is none to choose from.";
  return `Possible here: ${[...candidates].sort().join(", ")}.`;
}
