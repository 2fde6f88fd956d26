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

/* What the commands that change the configuration file answer. */

export function notAPath(written: string): string {
  return `"${written}" is not a valid path. Use one such as agents.defaults.model or channels.telegram.groups["-100555"].`;
}

export const LISTED_ALREADY = "This value is already in the list.";
export const COMMENTS_LOST = "This value contains comments, which would be lost. Edit the file instead.";
export const NO_SUCH_PATH = "The file has no such path.";
export const NOT_A_LIST = "This is not a list.";
export const NOT_SET = "It is not set.";
export const WHOLE_FILE = "A command cannot remove the whole file.";
export const TOO_COMPLEX = "A command cannot change this part of the file. Edit the file instead.";
export const CHANGED_MEANWHILE = "The file was changed in the meantime. Try again.";
export const SECRET_IN_CHAT = `Do not send secrets in a chat. Put the secret in .env, and write "\${NAME}" in the file.`;

/** FC-409: what names programs, files, variables, or addresses that receive a key. */
export const FILE_ONLY = "A chat command cannot change this. Edit the file instead.";

export function atPath(path: string, problem: string): string {
  return `${path}: ${problem}`;
}

/* The access policy in words: one line for each account, at start and by `config check`. */

export function policyLine(account: string, direct: string, groups: string, bots: string): string {
  return `${account}: direct messages: ${direct}; groups: ${groups}; bots: ${bots}`;
}

export const NO_ONE = "no one";
export const EVERYONE = "everyone";
export const EMPTY_LIST = "no one (allowFrom is empty)";
export const PAIRED = "paired people";

export function onlyThese(ids: readonly string[]): string {
  return ids.length === 0 ? NO_ONE : `only ${ids.join(", ")}`;
}

export function theseAndPaired(ids: readonly string[]): string {
  return `${ids.join(", ")} and paired people`;
}

export const GROUPS_NONE = "none";
export const GROUPS_NONE_LISTED = "none (the list is empty)";
export const GROUPS_ALL = "all, without a mention";
export const GROUPS_WHEN_MENTIONED = "all, when mentioned";
export const OTHER_PLACES = "all others";

export const PLACE_OFF = "disabled";
export const PLACE_WITHOUT_MENTION = "without a mention";

export function placeRoles(roles: readonly string[]): string {
  return `roles ${roles.join(", ") || "none"}`;
}

export function placeAgent(agentId: string): string {
  return `agent ${agentId}`;
}

export function placeLine(name: string, facts: readonly string[]): string {
  return facts.length === 0 ? name : `${name} (${facts.join("; ")})`;
}

export const BOTS_IGNORED = "ignored";
export const BOTS_MENTIONING = "answered when they mention the bot";
export const BOTS_ANSWERED = "answered";
