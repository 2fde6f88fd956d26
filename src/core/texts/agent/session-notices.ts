import type { ChainLimits, ChainStop, ChainUse } from "../../session/chain.ts";
import type { RunOutcome } from "../../session/run.ts";
import type { SessionKey } from "../../session/session-key.ts";
import { escapeMarkers, promptLabel, promptQuote } from "../../text/prompt-words.ts";

/** What a session reads in its transcript about itself, its sub-agents, its messages and its queue. */

export const yieldNote = (note: string): string =>
  `[System: you yielded to wait for your sub-agents. Your note to yourself follows]\n${promptQuote(note)}`;

export const conversationSummary = (summary: string): string =>
  `[System: this is a summary of the earlier conversation, which is not repeated below]\n${escapeMarkers(summary)}`;

/** Closes a request that no turn will answer (TN-8). */
export const UNANSWERED = {
  stopped: "[Stopped before this was answered]",
  interrupted: "[Interrupted by the next message before this was answered]",
};

export const turnFailed = (error: string): string => `Your last turn failed: ${error}`;

/** A forgotten person's message (OP-10). */
export const REMOVED_MESSAGE = "(This message was removed.)";

/** SL-7. The session key and the version make the call that catches up. */
export const watchedSessionChanged = (target: SessionKey, version: number): string =>
  `Session "${target}" changed (other actor). Reconcile before acting: session_status sessionKey "${target}" changesSince ${version}.`;

/** FC-231: the other side's last words follow on lines of their own, which the agent reads as a quote. */
export const loopLimit = (
  other: SessionKey,
  { runId, rounds, words }: { readonly runId: string; readonly rounds: number; readonly words: string },
): string =>
  `loop_limit: the exchange with ${other} (run ${runId}) has used its ${rounds} reply-back turns. Nothing more goes to that session. It said last:\n${words}`;

/** FC-232: ends the wait for a reply that was promised. */
export const noLateReply = (target: SessionKey, runId: string): string =>
  `no_reply: ${target} read your message (run ${runId}) and did not reply.`;

/** Why what belonged to a stopped chain goes no further (ST-28). */
export const CHAIN_STOPPED = "everything the original message set off was stopped";

/** What the agent of the origin and the operator read. */
export function chainStopped(by: ChainStop, limits: ChainLimits, use: ChainUse): string {
  const used = `turns: ${use.turns}, model calls: ${use.modelCalls}, tokens: ${use.tokens}`;
  return `chain_limit: one message set off too much without a person (${used}; ${by} is ${limitOf(by, limits)}). What was left of it was stopped.`;
}

function limitOf(by: ChainStop, limits: ChainLimits): number | null {
  switch (by) {
    case "session.chains.maxTurns":
      return limits.maxTurns;
    case "session.chains.maxModelCalls":
      return limits.maxModelCalls;
    case "session.chains.maxTokens":
      return limits.maxTokens;
    case "stop":
      return null;
  }
}

/** The refusal of a spawn or a send in a chain that is over. */
export const chainTexts = {
  over: (by: ChainStop): string =>
    by === "stop"
      ? "chain_limit: a person stopped everything that the original message set off"
      : `chain_limit: the original message has set off as much as ${by} allows`,
  overHint: "nothing was started; finish with what you know",
};

export const TARGET_STOPPED = "the target was stopped before it replied";
export const TARGET_FAILED = "the target's turn failed";

/** Why people no longer read a sub-agent in its thread; for other ends the spawner learns nothing here. */
export type ThreadLoss = "locked" | "deleted" | "gone" | "denied" | "bot_removed";

export function threadLost(subagent: { readonly key: SessionKey; readonly label: string | null }, why: ThreadLoss) {
  const { key, label } = subagent;
  const named = label === null ? key : `${promptLabel(label)} (${key})`;
  switch (why) {
    case "locked":
      return `The thread of sub-agent ${named} was locked. Nobody can read what it writes there.`;
    case "deleted":
      return `The thread of sub-agent ${named} was deleted. Nobody can read what it writes there.`;
    case "gone":
      return `The thread of sub-agent ${named} no longer exists. Nobody can read what it writes there.`;
    case "denied":
      return `The bot may not write in the thread of sub-agent ${named}. Nobody can read what it writes there.`;
    case "bot_removed":
      return `The bot was removed from the place that holds the thread of sub-agent ${named}. Nobody can read what it writes there.`;
  }
}

export const threadDenied = (reason: string): string =>
  `The thread was created, but the bot may not write in it: ${reason}`;

export const threadNotCreated = (reason: string): string => `The thread could not be created: ${reason}`;

export const threadPerhapsCreated = (reason: string): string => `The thread may not have been created: ${reason}`;

/** A message that did not reach its conversation (FC-139). */
export interface LostMessage {
  readonly place: string;
  readonly reason: string;
  /** How it began, so that the model knows which one it was. */
  readonly opening: string;
}

export const deliveryFailed = ({ place, reason, opening }: LostMessage): string =>
  `delivery_failed: your message to ${place} was not delivered: ${reason}. It began: ${opening}`;

export const deliveryUnconfirmed = ({ place, reason, opening }: LostMessage): string =>
  `delivery_unconfirmed: your message to ${place} may not have arrived and is not sent again: ${reason}. It began: ${opening}`;

/** The heading of the notice about a full queue (TN-3); one line for each message follows. */
export const queueOverflowed = (cap: number): string =>
  `More than ${cap} messages were waiting. These messages also arrived and are shortened or left out:`;

export const moreMessages = (count: number): string => `- and ${count} more`;

/** How many `moreMessages` counted; null: another line. */
export function countedMore(line: string): number | null {
  const count = /^- and (\d+) more$/.exec(line)?.[1];
  return count === undefined ? null : Number(count);
}

export function shortenedMessage(message: { readonly sender: string; readonly text: string; readonly files: number }) {
  const line = `- ${JSON.stringify(message.sender)}: ${JSON.stringify(message.text)}`;
  if (message.files === 0) return line;
  return message.files === 1 ? `${line} (with 1 file)` : `${line} (with ${message.files} files)`;
}

/** The one-line summaries of a session's state log (SL-1), as `session_status` shows them. */

export const SESSION_CREATED = "Session created";
export const SESSION_RESET = "Session reset";
export const OLDER_MESSAGES_SUMMARISED = "Older messages summarised";
export const GOAL_REMOVED = "Goal removed";

export const goalChanged = (state: string): string => `Goal ${state}`;

export const personWrote = (channel: string): string => `A person wrote on ${channel}`;

export const boundToThread = (channel: string): string => `Linked to a thread on ${channel}`;

export const releasedFromThread = (channel: string): string => `Unlinked from a thread on ${channel}`;

export const subagentSpawned = (name: string): string => `Spawned ${name}`;

export const runEnded = (name: string, outcome: RunOutcome): string => `Run of ${name} ended: ${outcome}`;

/** Why a sub-agent cannot be spawned (SP-1, SP-5, SP-6, SP-7), or which one a name means (SB-1). */
export const spawnTexts = {
  tooDeep: (depth: number, max: number): string =>
    `this session is at depth ${depth}, and subagents.maxSpawnDepth is ${max}`,
  sessionNeedsThread: 'mode "session" needs thread: true; nothing was spawned',
  sessionNeedsThreadHint: 'without a thread use mode "run"; you can still talk to it with sessions_send',
  forkOtherAgent: (agent: string): string =>
    `context "fork" works only for the same agent, and this task is for ${agent}`,
  forkOtherAgentHint: 'use context "isolated" and put everything it needs into the task',
  threadsOff: "session.threadBindings.spawnSessions is false: sub-agents get no threads",
  agentIdRequired: "subagents.requireAgentId is set: give an agentId",
  notAllowed: (agent: string, requester: string): string =>
    `agent "${agent}" is not in subagents.allowAgents of agent "${requester}"`,
  maySpawn: (agents: readonly string[]): string => `you may spawn: ${agents.join(", ")}`,
  unknownModel: (model: string): string => `unknown model "${model}"`,
  closeModels: (models: readonly string[]): string => `did you mean ${models.join(" or ")}?`,
  modelForm: "write it as provider/model",
  full: (max: number, runs: readonly string[]): string =>
    `subagents.maxChildrenPerAgent is ${max}, and these runs use the slots: ${runs.join("; ")}`,
  holding: (name: string, id: string, state: string): string => `${name} (${id}, ${state})`,
  noConversation: "this turn answers in no conversation",
  bindingsOff: "threadBindings.enabled is false",
  noThreadHere: "no thread can be made here",
};

export const controlTexts = {
  none: (wanted: string): string => `no sub-agent "${wanted}" in this session's tree`,
  noRuns: "it has no active or recent sub-agents",
  runs: (runs: readonly string[]): string => `there are: ${runs.join(", ")}`,
  ambiguous: (wanted: string, ids: readonly string[]): string =>
    `"${wanted}" fits several sub-agents: ${ids.join(", ")}`,
  useRunId: "use the run id",
  ended: (id: string): string => `run ${id} has ended; it cannot be steered`,
  spawnAgain: "spawn a new one",
};
