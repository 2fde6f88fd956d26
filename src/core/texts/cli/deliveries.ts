import { quotedName } from "../../text/visible.ts";
import type { Refused } from "./answers.ts";

/* What `switchyard deliveries` and `switchyard why` answer. */

export const DELIVERY_COLUMNS = ["id", "state", "age", "to", "tries", "reason or text"] as const;
export const RESULT_COLUMNS = ["run", "age", "name", "for", "reason"] as const;
export const NO_LOST_RESULT = "No results were lost.";

export function noDeliveries(kind: "filtered" | "failed" | "all"): string {
  switch (kind) {
    case "filtered":
      return "No delivery matches.";
    case "failed":
      return "No failed deliveries.";
    case "all":
      return "No deliveries yet.";
  }
}

export function unknownDelivery(id: number): Refused {
  return {
    message: `there is no delivery ${id}`,
    remedy: "List deliveries with `switchyard deliveries`. Sent ones are kept for store.retention.records.",
  };
}

export function nothingToDo(id: number, state: string, action: "retry" | "dismiss"): Refused {
  return { message: `delivery ${id} is ${state}, so there is nothing to ${action}`, remedy: null };
}

export function retrying(id: number): string {
  return `Retrying delivery ${id}.`;
}

export function dismissed(id: number): string {
  return `Dismissed delivery ${id}.`;
}

export function unknownResult(runId: string): Refused {
  return {
    message: `there is no result of run ${runId}`,
    remedy: "List lost results with `switchyard deliveries results`.",
  };
}

export function requesterGone(runId: string): Refused {
  return { message: `the session that started run ${runId} no longer exists`, remedy: null };
}

export function resultNotLost(runId: string, state: string): Refused {
  return { message: `the result of run ${runId} is ${state}, so there is nothing to retry`, remedy: null };
}

export function retryingResult(runId: string): string {
  return `Retrying the result of run ${runId}.`;
}

export const DELETES_MESSAGE = "deletes a message";

export function sendsFile(name: string): string {
  return `file ${quotedName(name)}`;
}

export function createsThread(title: string): string {
  return `creates the thread ${quotedName(title)}`;
}

export function nothingKnown(reference: string, advice: readonly string[]): Refused {
  return { message: `nothing is known about "${reference}"`, remedy: advice.join("\n") };
}

export function severalMessages(table: string): string {
  return `Several messages have this id. Choose one of them:\n${table}`;
}

export const CANDIDATE_COLUMNS = ["message", "account", "direction", "at (UTC)"] as const;
export const RECEIVED = "received";
export const SENT = "sent";
