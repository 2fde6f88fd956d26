import type { ConfigFault } from "../../errors.ts";
import { nearestNames } from "../../nearest.ts";

/** What is wrong with one key, and what to do about it. The key's path is put in front of both. */
export type FaultText = Omit<ConfigFault, "path">;

/** The remedy for a name that is not one of `candidates`. */
export function didYouMean(written: string, candidates: readonly string[]): string {
  const [near] = nearestNames(written, candidates, 1);
  if (near !== undefined) return `Did you mean "${near}"?`;
  if (candidates.length === 0) return "Remove it: there is nothing to choose from.";
  return `Available: ${[...candidates].sort().join(", ")}.`;
}

export function unknownKey(key: string, known: readonly string[]): FaultText {
  return { problem: "unknown key", remedy: didYouMean(key, known) };
}

export const IS_MISSING = "is missing";

export function missing(wanted: string): FaultText {
  return { problem: IS_MISSING, remedy: `Add ${wanted}.` };
}

export function wrongType(wanted: string, shown: string): FaultText {
  return { problem: `must be ${wanted}, but is ${shown}`, remedy: `Write ${wanted}.` };
}

export function notOneOf(written: string, choices: readonly string[], shown: string): FaultText {
  const quoted = choices.map((choice) => JSON.stringify(choice));
  return {
    problem: `must be ${quoted.join(" or ")}, but is ${shown}`,
    remedy: quoted.length === 1 ? `Write ${quoted[0]}.` : didYouMean(written, choices),
  };
}

export function badName(written: string, reason: string | undefined): FaultText {
  return { problem: `the name "${written}" ${reason ?? "is not allowed"}`, remedy: "Choose another name." };
}

export function otherFault(problem: string, shown: string | null): FaultText {
  return { problem, remedy: shown === null ? "Add it." : `It is ${shown}.` };
}

export const EMPTY_TEXT: FaultText = {
  problem: "must not be empty",
  remedy: "Write some text, or remove the key.",
};

export function textLength(bound: string, limit: number | bigint): FaultText {
  return { problem: `must have ${bound} ${limit} characters`, remedy: `Write ${bound} ${limit} characters.` };
}

export function numberBound(bound: string, limit: number | bigint, shown: string): FaultText {
  return {
    problem: `must be ${bound} ${limit}, but is ${shown}`,
    remedy: `Write a number that is ${bound} ${limit}.`,
  };
}

/** How a limit is said: with the limit itself allowed, or not. */
export function boundText(side: "least" | "most", inclusive: boolean): string {
  if (side === "least") return inclusive ? "at least" : "more than";
  return inclusive ? "at most" : "less than";
}

/** A type of the schema in a user's words. */
export function typeText(expected: string): string {
  switch (expected) {
    case "string":
      return "text in quotes";
    case "number":
      return "a number";
    case "int":
      return "a whole number";
    case "boolean":
      return "true or false";
    case "array":
      return "a list in [ ]";
    case "object":
    case "record":
      return "a section in { }";
    default:
      return expected;
  }
}

export const VALUE_MISSING = "missing";
export const VALUE_LIST = "a list";
export const VALUE_SECTION = "a section";
export const VALUE_HIDDEN = "(value hidden)";

/** What the schema says of its own values. */
export const MUST = {
  beName: "must contain only lower-case letters, digits, - and _",
  beId: "must be an id in quotes, or a whole number of at most 15 digits",
  beDuration: 'must be a duration such as "15m", "2h" or "90s", or a number of milliseconds',
  beWebAddress: "is not a web address",
  beAllowBots: 'must be true, false or "mentions"',
} as const;
