import type { ThreadChange } from "../../message/inbound-event.ts";
import type { QueueSettings } from "../../message/turn-inputs.ts";

/** What the operator reads about messages and results that did not get through: in listings, `/why` and the failures view. */

export const UNKNOWN_REASON = "unknown reason";
export const DISMISSED = "dismissed by the operator";
export const THREAD_NOT_NEEDED = "the thread is no longer needed";

export const resultLost = (name: string): string =>
  `The result of ${name} was not delivered: its requester no longer exists`;

/** Why a sub-agent's result wakes no session, or cannot be delivered (CP-2). */
export const COMPLETION = {
  stopped: "stopped",
  inThread: "people read it in its own thread",
  notRequested: "no completion was requested",
  requesterGone: "the requester no longer exists",
  requesterReset: "the requester was reset",
  requesterSilent: "the requester chose not to answer",
};

export const requesterTurnEnded = (outcome: string): string => `the requester's turn ended: ${outcome}`;

export const placeName = (route: { readonly channel: string; readonly accountId: string; readonly to: string }) =>
  `${route.channel} (account ${route.accountId}), conversation ${route.to}`;

interface Lost {
  readonly place: string;
  readonly reason: string;
}

export const messageFailed = ({ place, reason }: Lost): string => `A message to ${place} was not delivered: ${reason}`;

export const messageUnconfirmed = ({ place, reason }: Lost): string =>
  `A message to ${place} may not have arrived and is not sent again: ${reason}`;

export const threadFailed = ({ place, reason }: Lost): string => `A thread in ${place} was not created: ${reason}`;

export const threadUnconfirmed = ({ place, reason }: Lost): string =>
  `A thread in ${place} may not have been created and is not requested again: ${reason}`;

export const eventParked = (event: { readonly channel: string; readonly accountId: string; readonly error: string }) =>
  `An event of ${event.channel}/${event.accountId} failed three times and was set aside: ${event.error}`;

/** The rules that the store itself decides by, as `/why` shows them (IN-17). */

export const ALBUM_PART = "part of an album";
export const THREAD_IN_THE_MAKING = "a thread for a sub-agent is being created here (TB-1)";

export const EDIT = {
  unknown: "the edited message is not known",
  ofCommand: "an edit never runs a command",
  sameText: "the edit changed no text",
  ofWithdrawn: "the edited message was withdrawn",
  beforeAddressed: "edited before a message addressed the bot",
  beforeApproval: "edited before its sender was approved",
  beforeTurn: "edited before its turn",
  ignored: "messages.edits is ignore",
  notified: "messages.edits is notify",
};

export const editOf = (result: string): string => `the edited message was ${result}`;

export const DELETION = {
  unknown: "the deleted message is not known",
  beforeAddressed: "deleted before a message addressed the bot",
  beforeApproval: "deleted before its sender was approved",
  beforeTurn: "deleted before its turn",
  afterClaim: "deleted after a turn had claimed it",
};

export const threadChanged = (what: ThreadChange["what"], bindings: number): string =>
  bindings === 0 ? `thread ${what}; no session is linked to it` : `thread ${what}; links changed: ${bindings}`;

/** TN-3. Each begins with the key, by which `/why` knows that the message left a full queue. */
export const queueShortened = (cap: number): string => `messages.queue.cap is ${cap}: shortened into a notice`;

export const queueDropped = ({ cap, drop }: Pick<QueueSettings, "cap" | "drop">, shortened: number): string =>
  drop === "summarize"
    ? `messages.queue.cap is ${cap}: left out, because ${shortened} are already shortened`
    : `messages.queue.cap is ${cap}: dropped (drop: ${drop})`;

/** What is wrong with the store and what to do about it (OP-10): shown by the command line, `/healthz` and the log. */

const named = (file: string, problem: string, remedy: string): string => `store ${file}: ${problem}. ${remedy}`;

export const storeFull = (file: string): string =>
  named(
    file,
    "the disk is full or cannot be written",
    "Free some space. A running Switchyard then continues on its own; no acknowledged message is lost",
  );

export const storeReadOnly = (file: string): string =>
  named(file, "the file or its folder is read-only", "Make both writable for the user that runs Switchyard");

export const storeCorrupt = (file: string): string =>
  named(
    file,
    "the file is damaged or is not a SQLite database",
    "Move it away and restore a backup (`switchyard db backup` makes them), or set store.url to another file",
  );

export const storeBusy = (file: string): string =>
  named(file, "another program has locked the file", "Close the other program");

export const storeMissing = (file: string): string =>
  named(
    file,
    "the file cannot be opened",
    "Check that its folder exists and is readable, and that store.url points to the right file",
  );

export const storeReplaced = (file: string): string =>
  named(
    file,
    "the file was removed or replaced while Switchyard runs on it. No message is acknowledged until this is fixed",
    "Move the original file back, or restore a backup and restart Switchyard",
  );

export const storeForeign = (file: string): string =>
  named(file, "the file is another program's database", "Set store.url to another file");

export const storeNewer = (place: string, schema: number, known: number): string =>
  named(
    place,
    `a newer Switchyard wrote it (schema ${schema}; this version knows ${known})`,
    "Start the newer version again, or restore the backup it made before it migrated the store",
  );

export const storeInUse = (file: string, owner: string | null): string =>
  named(
    file,
    `Switchyard already runs on it${owner === null ? "" : ` (process ${owner})`}`,
    "Stop that process, or set store.url to another file",
  );

export const lockForeign = (file: string, lockFile: string): string =>
  named(file, `${lockFile} is not a Switchyard lock`, "Remove that file; it holds no data");

export const storeNotKept = (file: string, reason: string): string =>
  named(file, `the disk did not keep what was written (${reason})`, "Check the disk, then start Switchyard again");

export const databaseUnreachable = (place: string): string =>
  named(place, "the database cannot be reached", "Check that it runs and that store.url is correct");

/** An input that no turn could begin with (TN-20). */
export const INPUT_FAILED = "it could not be processed";
/** A turn that a fault of Switchyard stopped three times (TN-20). */
export const turnParked = (reason: string): string => `internal: it failed three times: ${reason}`;
export const inputParked = (reason: string): string => `no turn could begin with it three times: ${reason}`;
