import type { RunOutcome } from "../../session/run.ts";

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
