import type { MethodName } from "./method-names.ts";
import { Refusal, rateLimited } from "./refusal.ts";

/** What goes wrong with a request. */
export type FaultKind =
  /** Refused with 429; `retryAfter` in seconds. */
  | { kind: "429"; retryAfter: number }
  /** Refused with a server error, 503 when `status` is not given. */
  | { kind: "5xx"; status?: number }
  /** Refused with any error name, HTTP 200 unless said otherwise. */
  | { kind: "refusal"; error: string; status?: number; extra?: Record<string, unknown> }
  /** The connection is destroyed before anything is read. Cannot be tied to a channel. */
  | { kind: "refuse" }
  /** Read, not carried out, connection destroyed. */
  | { kind: "cutBefore" }
  /** Carried out, connection destroyed before the answer. */
  | { kind: "cutAfter" }
  /** Answered `ms` later; carried out at once, or (`carriedOutFirst: false`) only when the time is over. */
  | { kind: "slow"; ms: number; carriedOutFirst?: boolean }
  /** Half-open: nothing comes back `until` this; then the connection is destroyed. Carried out before only with `carriedOutFirst`. */
  | { kind: "stalls"; until: Promise<unknown>; carriedOutFirst?: boolean }
  /** Carried out, then answered with this text instead of JSON. */
  | { kind: "garbage"; body: string; status?: number };

/** The address that comes with a call, where its answer may be posted. */
export const RESPONSE_URL = "response_url";
export type FaultMethod = MethodName | typeof RESPONSE_URL;

export interface FaultScope {
  /** Only this method. Default: every method. */
  method?: FaultMethod;
  /** Only requests whose `channel` or `channel_id` is this. */
  channel?: string;
  /** Only this app's requests. */
  appId?: string;
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
  appId: string;
  channel?: unknown;
}

function matches(fault: Fault, target: FaultTarget): boolean {
  const { method, channel, appId, times } = fault.scope;
  if (fault.hits >= (times ?? 1)) return false;
  if (method !== undefined && method !== target.method) return false;
  if (channel !== undefined && channel !== target.channel) return false;
  return appId === undefined || appId === target.appId;
}

/** The faults of one server, in the order they were switched on; the first that matches hits. */
export class Faults {
  readonly #faults: Fault[] = [];

  add(what: FaultKind, scope: FaultScope): Fault {
    if (what.kind === "refuse" && scope.channel !== undefined) throw new Error("refuse cannot know the channel");
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
      return rateLimited(fault.retryAfter);
    case "refusal":
      return new Refusal(fault.error, {
        ...(fault.status === undefined ? {} : { status: fault.status }),
        ...(fault.extra === undefined ? {} : { extra: fault.extra }),
      });
    case "5xx":
      return new Refusal("service_unavailable", { status: fault.status ?? 503 });
    default:
      return null;
  }
}
