import type { FindingText } from "../platforms/doctor.ts";

/* What `switchyard doctor` finds, and how to fix it. */

export const MARKS = { ok: "ok  ", warning: "WARN", error: "FAIL" } as const;

export function findingLine(mark: string, subject: string, { message, fix }: FindingText): string {
  return `${mark}  ${subject}: ${message}${fix === null ? "" : `\n      ${fix}`}`;
}

export const SUBJECT = {
  configuration: "configuration",
  environment: "environment",
  clock: "clock",
  disk: "disk",
  port: "port",
  store: "store",
} as const;

export function providerSubject(provider: string): string {
  return `model provider ${provider}`;
}

export function serverSubject(server: string): string {
  return `MCP server ${server}`;
}

export function keyProblem(path: string, problem: string): string {
  return `${path}: ${problem}`;
}

export function checkFailed(reason: string): FindingText {
  return { message: `the check failed: ${reason}`, fix: null };
}

export function fine(message: string): FindingText {
  return { message, fix: null };
}

export function clockWrong(now: string): FindingText {
  return {
    message: `it shows ${now}, which is before this version was released`,
    fix: "Set the system clock, for example with NTP.",
  };
}

export function diskFree(mib: number, folder: string, isEnough: boolean): FindingText {
  return {
    message: `${mib} MiB free in ${folder}`,
    fix: isEnough ? null : "Free some space, or move store.url to a larger disk.",
  };
}

export const PORT_OURS = "used by the running Switchyard";
export const PORT_TAKEN = "another program uses it";

export function portFree(place: string): string {
  return `${place} is free`;
}

export function portProblem(place: string, problem: string): FindingText {
  return {
    message: `${place} cannot be used: ${problem}`,
    fix: "Choose another port with http.port, --port or SWITCHYARD_PORT. 0 picks any free port.",
  };
}

const RESTORE = "Stop Switchyard and restore a backup (made by `switchyard db backup`).";

export function noStoreYet(file: string): string {
  return `${file} does not exist yet; the first start creates it`;
}

export function storeSound(file: string): string {
  return `${file} has no errors`;
}

export function storeDamaged(file: string, problem: string): FindingText {
  return { message: `${file} is damaged: ${problem}`, fix: RESTORE };
}

export function notSqlite(file: string): FindingText {
  return { message: `${file} is damaged or not a SQLite database`, fix: RESTORE };
}

export function storeReadable(file: string, folder: string): FindingText {
  return { message: `other users of this machine can read ${file}`, fix: `Run: chmod 700 ${folder}` };
}

export const DEMO_PROVIDER = "built in; a demonstration, not a language model";

export function providerSilent(root: string, reason: string, provider: string): FindingText {
  return {
    message: `${root} does not answer (${reason})`,
    fix: `Start the server, or fix models.providers.${provider}.baseUrl.`,
  };
}

export function providerRefuses(root: string, status: number, provider: string): FindingText {
  return { message: `${root} rejects the key (${status})`, fix: `Fix models.providers.${provider}.apiKey.` };
}

export function providerUnlisted(root: string, status: number, provider: string): FindingText {
  return {
    message: `${root}/models answers ${status}, so the models cannot be checked`,
    fix: `Check models.providers.${provider}.baseUrl.`,
  };
}

export function providerFine(root: string, models: readonly string[]): string {
  return `${root} answers; used: ${models.join(", ")}`;
}

export function modelUnlisted(model: string, known: readonly string[]): FindingText {
  const shown = known.slice(0, 8).join(", ");
  return { message: `it does not list ${model}`, fix: `Available: ${shown}${known.length > 8 ? ", …" : ""}.` };
}

export function modelSubject(model: string): string {
  return `model ${model}`;
}

/** The one call that `doctor` makes with each model. */
export const CALL_PROMPT = {
  system:
    "You are checked for whether you can use tools. Do exactly what you are asked to do, in as few words as possible.",
  user: (tool: string): string => `Call the tool ${tool} once, without arguments, and do nothing else.`,
};

interface CallFacts {
  readonly seconds: number;
  readonly input: number;
  readonly output: number;
  /** By the configured prices; null: there is none. */
  readonly cost: number | null;
}

function callCost({ seconds, input, output, cost }: CallFacts): string {
  const price = cost === null ? "" : `, cost ${cost.toFixed(4)}`;
  return `${seconds.toFixed(1)} s, ${input} tokens in, ${output} out${price}`;
}

export function callFine(facts: CallFacts): string {
  return `called a tool (${callCost(facts)})`;
}

export function callWithoutTool(facts: CallFacts): FindingText {
  return {
    message: `answered, but did not call the tool that it was asked to call (${callCost(facts)})`,
    fix: "Small models do this. Choose a model that can use tools if agents need sub-agents, threads or other tools.",
  };
}

export function callFails(reason: string): string {
  return `a call fails: ${reason}`;
}

export function serverLog(provider: string): string {
  return `Read the log of the model server at models.providers.${provider}.baseUrl, or try again later.`;
}

export function callSilent(seconds: number, provider: string): FindingText {
  return {
    message: `a call was not answered within ${seconds.toFixed(0)} s`,
    fix: `A local server may still be loading the model: run it again. Else check models.providers.${provider}.`,
  };
}

export function serverFine(tools: number): string {
  return `answers with ${tools} tools`;
}

export function toolSkipped(line: string): string {
  return `skipped ${line}`;
}

export function serverSilent(patienceMs: number): string {
  return `it does not answer within ${patienceMs} ms`;
}

export function serverFails(reason: string, lastLine: string): string {
  return lastLine === "" ? reason : `${reason} (it wrote: ${lastLine})`;
}

export function fixCommand(command: string, server: string): string {
  return `Run it by hand: ${command}. Then fix mcp.servers.${server}.`;
}

export function fixUrl(server: string): string {
  return `Start it, or fix mcp.servers.${server}.url and headers.`;
}
