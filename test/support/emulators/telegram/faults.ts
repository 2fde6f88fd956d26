import type { MethodName } from "./method-names.ts";
import { Refusal, TERMINATED_BY_POLLER, tooManyRequests } from "./refusal.ts";

/** What goes wrong with a request. */
export type FaultKind =
  /** Refused with 429; `retryAfter` in seconds. */
  | { kind: "429"; retryAfter: number }
  /** Refused with a server error, 502 when `status` is not given. */
  | { kind: "5xx"; status?: number }
  | { kind: "409"; description?: string }
  /** Refused with any code and text. */
  | { kind: "refusal"; code: number; description: string; parameters?: Refusal["parameters"] }
  /** The connection is destroyed before anything is read. Cannot be tied to a chat. */
  | { kind: "refuse" }
  /** Read, not carried out, connection destroyed. */
  | { kind: "cutBefore" }
  /** Carried out, connection destroyed before the answer. */
  | { kind: "cutAfter" }
  /** Answered `ms` later; carried out at once, or (`first: false`) only when the time is over. */
  | { kind: "slow"; ms: number; carriedOutFirst?: boolean }
  /** Half-open: nothing comes back `until` this; then the connection is destroyed. Carried out before only with `carriedOutFirst`. */
  | { kind: "stalls"; until: Promise<unknown>; carriedOutFirst?: boolean }
  /** Carried out, then answered with this text instead of JSON. */
  | { kind: "garbage"; body: string; status?: number };

export interface FaultScope {
  /** Only this method. Default: every method but getUpdates. */
  method?: MethodName;
  /** Only requests whose `chat_id` is this. */
  chat?: number;
  /** Only this bot's requests. */
  botId?: number;
  /** How many requests it hits; default 1. */
  times?: number;
  /** So many requests that it would hit are let through first; default 0. */
  after?: number;
}

/** A switched-on fault. */
export interface Fault {
  readonly what: FaultKind;
  readonly scope: FaultScope;
  /** How many requests it has hit. */
  hits: number;
  /** How many it has let through. */
  passed: number;
  off: () => void;
}

export interface FaultTarget {
  method: string;
  botId: number;
  chat?: unknown;
}

function matches(fault: Fault, target: FaultTarget): boolean {
  const { method, chat, botId, times } = fault.scope;
  if (fault.hits >= (times ?? 1)) return false;
  if (method === undefined ? target.method === "getUpdates" : method !== target.method) return false;
  if (chat !== undefined && String(chat) !== String(target.chat)) return false;
  return botId === undefined || botId === target.botId;
}

/** The faults of one server, in the order they were switched on; the first that matches hits. */
export class Faults {
  readonly #faults: Fault[] = [];

  add(what: FaultKind, scope: FaultScope): Fault {
    if (what.kind === "refuse" && scope.chat !== undefined) throw new Error("refuse cannot know the chat");
    const fault: Fault = {
      what,
      scope,
      hits: 0,
      passed: 0,
      off: () => {
        const index = this.#faults.indexOf(fault);
        if (index >= 0) this.#faults.splice(index, 1);
      },
    };
    this.#faults.push(fault);
    return fault;
  }

  clear(): void {
    this.#faults.length = 0;
  }

  /** Takes the fault for a request at the stage before its body is read, or after. */
  take(stage: "unread" | "read", target: FaultTarget): FaultKind | null {
    if (this.#faults.length === 0) return null;
    const fault = this.#faults.find((f) => (f.what.kind === "refuse") === (stage === "unread") && matches(f, target));
    if (fault === undefined) return null;
    if (fault.passed < (fault.scope.after ?? 0)) {
      fault.passed += 1;
      return null;
    }
    fault.hits += 1;
    return fault.what;
  }
}

/** The refusal a fault stands for; null when it is not a refusal. */
export function refusalOf(fault: FaultKind): Refusal | null {
  switch (fault.kind) {
    case "429":
      return tooManyRequests(fault.retryAfter);
    case "409":
      return new Refusal(409, `Conflict: ${fault.description ?? TERMINATED_BY_POLLER}`);
    case "refusal":
      return new Refusal(fault.code, fault.description, fault.parameters);
    case "5xx":
      return new Refusal(fault.status ?? 502, fault.status === 500 ? "Internal Server Error" : "Bad Gateway");
    default:
      return null;
  }
}
