import type { ChainUse } from "../../session/chain.ts";

/* What `/why` and `switchyard why` say about a message or another event that came in (IN-17). */

export const EVENT_KINDS: Readonly<Record<string, string>> = {
  message: "Message",
  command: "Command",
  edit: "Edit of message",
  delete: "Deletion of message",
  reaction: "Reaction to message",
  thread_changed: "Change to a thread",
};

const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;
const ahead = (count: number): string => (count === 0 ? "" : ` (${plural(count, "input")} ahead)`);

export const eventTexts = {
  refused: "refused; nothing was started",
  ignored: "ignored",
  contextWaiting: "not addressed to the bot; the agent sees it with the next message that is",
  contextUsed: "not addressed to the bot; the agent saw it with a later message, or newer messages replaced it",
  stale: "too old to answer when it arrived (catchUp.maxAge)",
  parked: "failed three times and was set aside",
  held: "waiting for details of its thread",
  expiredInput: (result: string): string => `${result}; the record of its input has expired`,
  waiting: (what: string): string => `waiting for ${what}`,
  withdrawn: "withdrawn before a turn began",
  withdrawnBy: (command: string): string => `withdrawn by /${command} before a turn began`,
  ranAs: (command: string, result: string): string => `ran as /${command}; ${result}`,
  expiredTurn: "included in a turn whose record has expired",
  tookPart: ({ isSteered, others, result }: { isSteered: boolean; others: number; result: string }): string => {
    const where = isSteered ? "added to the running turn" : "included in a turn";
    return `${where}${others === 0 ? "" : ` with ${plural(others, "other input")}`}; ${result}`;
  },
  working: "the turn is still running",
  leftQueue: "removed from a full queue",
  leftQueueWaiting: "removed from a full queue; the next turn gets a notice of it",
  leftQueueTold: "removed from a full queue; a turn got a notice of it",
  silent: "the agent chose not to reply",
  yielded: "the agent is waiting for its sub-agents",
  noConversation: "the reply has no conversation to go to",
  expiredReply: "the record of the reply has expired",
  turnEnded: (outcome: string): string => `the turn ended: ${outcome}`,
  unanswered: "no reply",
  partsLost: (lost: number, all: number): string => `${lost} of ${all} messages of the reply were not delivered`,
  sending: "the reply is being sent",
  partsSent: (sent: number, all: number): string => `${sent} of ${all} messages of the reply are sent`,
  replyWithdrawn: "the reply was withdrawn",
  answered: "answered",
  setOff: ({ turns, modelCalls, stoppedBy }: ChainUse): string => {
    const used = `${plural(turns, "automatic turn")} between agents, ${plural(modelCalls, "model call")}`;
    if (stoppedBy === null) return used;
    return `${used}; ${stoppedBy === "stop" ? "then stopped by /stop" : `then stopped (${stoppedBy})`}`;
  },
};

/** What an input waits for. Each completes `eventTexts.waiting`. */
export const waitTexts = {
  files: (count: number): string => `${plural(count, "file")} to download`,
  more: (time: string): string => `more of the same message, until ${time}`,
  release: "its release",
  thread: "its thread to be created",
  turn: (turn: { readonly id: string; readonly runsFor: string; readonly ahead: number }): string =>
    `turn ${turn.id} of its session, running for ${turn.runsFor}${ahead(turn.ahead)}`,
  command: (name: string): string => `/${name}, which came first`,
  slot: (count: number): string => `a free turn slot${ahead(count)}`,
};
