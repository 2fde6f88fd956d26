import type { Invariant, Stored } from "../stored.ts";
import { inputInvariants } from "./inputs.ts";
import { outsideInvariants } from "./outside.ts";
import { runInvariants } from "./runs.ts";
import { sightInvariants } from "./sight.ts";
import { turnInvariants } from "./turns.ts";

export const INVARIANTS: readonly Invariant[] = [
  ...inputInvariants,
  ...turnInvariants,
  ...runInvariants,
  ...sightInvariants,
  ...outsideInvariants,
];

/** Rows told of per invariant; the number of the others follows. */
const SHOWN = 5;

/** One line for each row that breaks an invariant, with the invariant's name. */
export function brokenInvariants(stored: Stored): readonly string[] {
  return INVARIANTS.flatMap(({ name, broken }) => {
    const rows = broken(stored);
    const more = rows.length > SHOWN ? [`${name}: … and ${rows.length - SHOWN} more`] : [];
    return [...rows.slice(0, SHOWN).map((row) => `${name}: ${row}`), ...more];
  });
}
