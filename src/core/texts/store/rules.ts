import type { ThreadChange } from "../../message/inbound-event.ts";
import type { QueueSettings } from "../../message/turn-inputs.ts";

/** The rules that the store itself decides by, as `/why` shows them (IN-17). */

export const ALBUM_PART = "part of an album";
export const THREAD_IN_THE_MAKING = "a thread for a sub-agent is being created here (TB-1)";

export const EDIT = {
  unknown: "the edited message is not known",
  ofCommand: "an edit never runs a command",
  sameText: "the edit changed no text",
  ofWithdrawn: "the edited message was withdrawn",
  beforeAddressed: "edited before a message addressed the bot",
  beforeTurn: "edited before its turn",
  ignored: "messages.edits is ignore",
  notified: "messages.edits is notify",
};

export const editOf = (result: string): string => `the edited message was ${result}`;

export const DELETION = {
  unknown: "the deleted message is not known",
  beforeAddressed: "deleted before a message addressed the bot",
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
