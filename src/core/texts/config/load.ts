import type { FaultText } from "./shape.ts";

/* What can be wrong with the file itself and what comes from the environment, and what the defaults chose. */

export function fileMissing(file: string): FaultText {
  return {
    problem: `the file ${file} does not exist`,
    remedy: "Create it, or remove the setting to use the built-in defaults.",
  };
}

export function fileUnreadable(reason: string): FaultText {
  return { problem: `cannot be read (${reason})`, remedy: "Check that it is a file and that this user may read it." };
}

export const NOT_A_SECTION: FaultText = {
  problem: "is not a section in { }",
  remedy: "Start the file with { and end it with }.",
};

export function syntaxError(place: { readonly line: number; readonly column: number } | null, what: string): FaultText {
  return {
    problem: place === null ? what : `line ${place.line}, column ${place.column}: ${what}`,
    remedy: "Fix the syntax there. A comma, quote or bracket is often missing just before it.",
  };
}

export function setTwice(places: readonly { readonly line: number; readonly column: number }[]): FaultText {
  const listed = places.map(({ line, column }) => `line ${line}, column ${column}`);
  return {
    problem: `is set ${listed.length === 2 ? "twice" : `${listed.length} times`}: ${listed.join(" and ")}`,
    remedy: "Merge them into one: only the last one would be used.",
  };
}

export function variableUnset(name: string, path: string): FaultText {
  return {
    problem: `the environment variable ${name} is not set`,
    remedy: `Set ${name} in the environment or in .env, or remove ${path}.`,
  };
}

export function notAVariable(name: string): FaultText {
  return {
    problem: `"\${${name}}" is not a valid environment variable`,
    remedy: `Write "\${NAME}", or "$\${" for a plain "\${".`,
  };
}

export function badPort(written: string): FaultText {
  return { problem: `"${written}" is not a port`, remedy: "Use a number from 0 to 65535. 0 picks any free port." };
}

export function notAvailable(what: string): FaultText {
  return { problem: `not available yet: ${what}`, remedy: "Remove it." };
}

export function plainSecret(variable: string): FaultText {
  return {
    problem: "contains a secret in plain text",
    remedy: `Move it to the environment or .env, and write "\${${variable}}" here.`,
  };
}

export const NEEDS_RESTART: FaultText = {
  problem: "changes take effect after a restart",
  remedy: "Restart Switchyard to apply them.",
};

export function modelChosen(reason: string): FaultText {
  return { problem: reason, remedy: "Set a model there to use another one." };
}

export const DEMO_CHOSEN = "no model or API key is configured, so the built-in demo model is used";

export function keyChosen(variable: string, model: string): string {
  return `${variable} is set, so ${model} is used`;
}

export function ollamaChosen(model: string): string {
  return `Ollama is running on this machine, so ollama/${model} is used`;
}

/** One fault or warning on one line. */
export function faultLine({ path, problem, remedy }: FaultText & { readonly path: string }): string {
  return `${path}: ${problem}. ${remedy}`;
}
