import { quotedName } from "../../text/visible.ts";

/* What the commands of the command line answer. A name that people choose themselves is always quoted. */

/** A command that cannot be run: what is wrong, and what to do. */
export interface Refused {
  readonly message: string;
  readonly remedy: string | null;
}

export const NO_PROCESS_NOTE = "Switchyard is not running. This is what its store contains.";

export function noStore(file: string, startCommand: string): Refused {
  return { message: `there is no store at ${file} yet`, remedy: `Start Switchyard once: ${startCommand}` };
}

export function notRunning(dataDir: string, startCommand: string): Refused {
  return {
    message: `Switchyard is not running on ${dataDir}, and this command needs it`,
    remedy: `Start it: ${startCommand}`,
  };
}

export function problemsFound(count: number, lines: string): string {
  return `${count === 1 ? "1 problem" : `${count} problems`} found:\n${lines}`;
}

export function noProblems(file: string | null): string {
  return file === null ? "No problems found. Using the built-in defaults." : `No problems found in ${file}.`;
}

export const BUILT_IN_DEFAULTS = "using the built-in defaults";

/* sessions, history, export, send */

export function noSessions(search: string | undefined): string {
  return search === undefined ? "No sessions yet." : `No session matches "${search}".`;
}

export const SESSION_COLUMNS = ["session", "state", "used", "tokens", "name"] as const;

export function unknownSession(session: string, close: readonly string[]): Refused {
  return {
    message: `there is no session "${session}"`,
    remedy: close.length > 0 ? `Did you mean ${close.join(" or ")}?` : "List sessions with `switchyard sessions`.",
  };
}

export function noMessages(key: string): string {
  return `${key} has no messages yet.`;
}

export function fileExists(file: string, what: "backup" | "export"): Refused {
  return { message: `${file} already exists`, remedy: `Choose another name. The ${what} never overwrites a file.` };
}

export function exported(messages: number, file: string): string {
  return `Exported ${messages === 1 ? "1 message" : `${messages} messages`} to ${file}.`;
}

export function sentNowhere(key: string): string {
  return `Sent. ${key} has no conversation on a platform. Read the reply with: switchyard history ${key}`;
}

export function sentTo(key: string, place: string): string {
  return `Sent. The reply of ${key} goes to ${place}.`;
}

export function placeOf(route: {
  readonly channel: string;
  readonly accountId: string;
  readonly to: string;
  readonly threadId: string | null;
}): string {
  const thread = route.threadId === null ? "" : `, thread ${route.threadId}`;
  return `${route.channel}/${route.accountId}, ${route.to}${thread}`;
}

/* pairing, forget */

export const NO_PAIRING = "No pending requests or paired people.";
export const WAITING_COLUMNS = ["request on", "code", "id", "age", "name"] as const;
export const PAIRED_COLUMNS = ["paired on", "id", "since", "role"] as const;

export function unknownCode(channel: string, code: string): Refused {
  return {
    message: `no pending request on ${channel} has the code ${code}`,
    remedy: "List pending requests with `switchyard pairing list`. A code expires after one hour.",
  };
}

interface PersonText {
  readonly channel: string;
  readonly senderId: string;
  readonly senderName: string;
}

function personText({ channel, senderId, senderName }: PersonText): string {
  return `${channel}:${senderId} (name: ${quotedName(senderName)})`;
}

export function approvedPerson(person: PersonText & { readonly accountId: string }, asOwner: boolean): string {
  const owner = asOwner ? " as an owner" : "";
  return `Approved${owner}: ${personText(person)} can now write to ${person.channel}/${person.accountId}.`;
}

export function noOwnerYet({ channel, senderId }: PersonText): string {
  return `There is no owner yet. To make this person an owner, add "${channel}:${senderId}" to commands.ownerAllowFrom.`;
}

export function deniedPerson(person: PersonText): string {
  return `Denied: ${personText(person)}.`;
}

export function notAPerson(written: string): Refused {
  return { message: `"${written}" is not a valid user`, remedy: "Write <channel>:<id>, such as telegram:111." };
}

export function confirmForget(person: string): Refused {
  return {
    message: `this deletes what ${person} wrote in every session, and cannot be undone`,
    remedy: `To confirm, run: switchyard forget ${person} --yes`,
  };
}

export interface ForgetCounts {
  readonly messages: number;
  readonly inputs: number;
  readonly access: number;
  readonly events: number;
}

export function forgotten(person: string, { messages, inputs, access, events }: ForgetCounts): string {
  return [
    `Deleted the data of ${person}: ${counted(messages, "message")} in transcripts replaced, ${counted(inputs, "input")} and ${counted(access, "permission")} deleted, ${counted(events, "event")} anonymised.`,
    "Their files are deleted within about a day. Messages of others, replies of agents, and backups are not changed.",
  ].join("\n");
}

export function nothingStored(person: string): string {
  return `Nothing is stored about ${person}.`;
}

export function stillConfigured(keys: readonly string[]): string {
  return `The configuration still contains this person: ${keys.join(", ")}.`;
}

/** `1 message`, `2 messages`, `3 deliveries`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/* db, manifest */

export function backedUp(target: string, media: string, attachments: number): string {
  if (attachments === 0) return `Backed up to ${target}. There are no attachments.`;
  return `Backed up to ${target}, with ${counted(attachments, "attachment")} in ${media}.`;
}

export const ALREADY_MIGRATED: Refused = {
  message: "Switchyard is running on this store, so it is up to date",
  remedy: "To migrate it to another version, stop Switchyard first.",
};

export function migrated(file: string): string {
  return `${file} is up to date.`;
}

export function notAPublicUrl(url: string, channel: string): Refused {
  return {
    message: `"${url}" is not a full web address`,
    remedy: `Use an address with a path, such as https://bot.example.org/${channel}/events.`,
  };
}

/* status */

export const ACCOUNT_COLUMNS = ["account", "state", "since", "last in", "last out", "last error"] as const;
export const SERVER_COLUMNS = ["MCP server", "state", "since", "tools", "last error"] as const;
export const FAILURE_COLUMNS = ["age", "what", "where", "why"] as const;
export const NOT_RUNNING = "not running";
export const NOT_STARTED = "not started";
export const NEVER = "never";

/** `ahead`: false for a clock that is behind. */
export const clockLine = (account: string, off: string, ahead: boolean): string =>
  `This machine's clock is ${off} ${ahead ? "ahead of" : "behind"} the clock of ${account}. Synchronize it, for example with NTP.`;

export function processLine(process: {
  readonly version: string;
  readonly pid: number;
  readonly since: string;
  readonly url: string | null;
}): string {
  const page = process.url === null ? "" : `, page at ${process.url}`;
  return `Switchyard ${process.version} is running as process ${process.pid} for ${process.since}${page}.`;
}

export interface WorkCounts {
  readonly sessions: number;
  readonly openTurns: number;
  readonly openRuns: number;
  readonly waitingInputs: number;
  readonly openDeliveries: number;
  readonly lostDeliveries: number;
  readonly pairingRequests: number;
}

export function workLines(counts: WorkCounts, oldest: string | null): string {
  const age = oldest === null ? "" : ` (oldest: ${oldest})`;
  return [
    counted(counts.sessions, "session"),
    `${counted(counts.openTurns, "open turn")}, ${counted(counts.openRuns, "open run")}`,
    `${counted(counts.waitingInputs, "pending input")}${age}`,
    `${counted(counts.openDeliveries, "pending delivery", "pending deliveries")}, ${counts.lostDeliveries} failed`,
    counted(counts.pairingRequests, "pending pairing request"),
  ].join("\n");
}

/* history */

export function callText(tool: string, args: string): string {
  return `[call ${tool} ${args}]`;
}

export function resultText(tool: string, isError: boolean, text: string): string {
  return `[${isError ? "error" : "result"} of ${tool}: ${text}]`;
}

export function fileText(name: string, bytes: number): string {
  return `[file ${quotedName(name)}, ${bytes} bytes]`;
}

/* the way to the process */

export const PROCESS_SILENT = "Switchyard did not answer";

export function processSilent(reason: string): string {
  return `${PROCESS_SILENT}: ${reason}`;
}

export const ANSWER_CUT = "the connection to Switchyard was closed in the middle of its answer";
export const REQUEST_TOO_LARGE = "the request is too large";

export function noSuchMethod(method: string): string {
  return `this process has no command "${method}"`;
}

export function socketPathTooLong(path: string): string {
  return `the path of the control socket is too long (${path}); use a shorter store.url`;
}

export function alreadyRunning(dataDir: string): string {
  return `Switchyard is already running on ${dataDir}; see \`switchyard status\``;
}

export const proxyInvalid = (variable: string): string =>
  `${variable} is not a web address, so no proxy is used. Write it like http://proxy.example:3128, or unset it.`;

export const proxyUnsupported = (version: string): string =>
  `HTTP_PROXY and HTTPS_PROXY are ignored: Node ${version} cannot use them. Use Node 24.14 or newer.`;
