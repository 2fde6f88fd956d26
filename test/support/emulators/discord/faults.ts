import { Refusal, tooManyRequests } from "./refusal.ts";
import type { RouteName } from "./route-table.ts";

/** What a client does at the gateway before it is served. */
export type GatewayStep = "gateway_connect" | "gateway_identify" | "gateway_resume";

/** What goes wrong with a request, or with a step at the gateway. */
export type FaultKind =
  /** Refused with 429; `retryAfter` in seconds. `global`: the limit of the whole bot. */
  | { kind: "429"; retryAfter: number; global?: boolean; scope?: "user" | "global" | "shared" }
  /** Refused with a server error, 502 when `status` is not given. */
  | { kind: "5xx"; status?: number }
  /** Refused with any status, error code and text. */
  | { kind: "refusal"; status: number; code: number; description: string }
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
  | { kind: "garbage"; body: string; status?: number }
  /** Identify and resume: closed with this code. */
  | { kind: "close"; code: number; reason?: string }
  /** Identify and resume: answered with "invalid session". */
  | { kind: "op9"; resumable: boolean };

export interface FaultScope {
  /** Only this route or step. Default: every route, no step at the gateway. */
  method?: RouteName | GatewayStep;
  /** Only requests to this channel or thread (by its id in the path). */
  channel?: string;
  /** Only this bot's requests. */
  botId?: string;
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
  method: RouteName | GatewayStep;
  botId?: string | undefined;
  channel?: string | undefined;
}

function isGatewayStep(method: string | undefined): method is GatewayStep {
  return method?.startsWith("gateway_") === true;
}

function matches(fault: Fault, target: FaultTarget): boolean {
  const { method, channel, botId, times } = fault.scope;
  if (fault.hits >= (times ?? 1)) return false;
  if (method === undefined ? isGatewayStep(target.method) : method !== target.method) return false;
  if (channel !== undefined && channel !== target.channel) return false;
  return botId === undefined || botId === target.botId;
}

function checkPossible({ kind }: FaultKind, { method, channel, botId }: FaultScope): void {
  if (kind === "refuse" && channel !== undefined) throw new Error("refuse cannot know the channel");
  if (method === "gateway_connect" && botId !== undefined) throw new Error("a new connection is nobody's yet");
  const session = method === "gateway_identify" || method === "gateway_resume";
  if ((kind === "close" || kind === "op9") && !session) throw new Error(`${kind} hits identify and resume only`);
  if (session && !["close", "op9", "cutBefore", "slow"].includes(kind)) {
    throw new Error(`${kind} cannot hit ${method}`);
  }
  if (method === "gateway_connect" && !["refuse", "5xx", "429", "slow"].includes(kind)) {
    throw new Error(`${kind} cannot hit gateway_connect`);
  }
}

/** The faults of one server, in the order they were switched on; the first that matches hits. */
export class Faults {
  readonly #faults: Fault[] = [];

  add(what: FaultKind, scope: FaultScope): Fault {
    checkPossible(what, scope);
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
      return tooManyRequests(fault.retryAfter, fault.global ?? false, fault.scope);
    case "refusal":
      return new Refusal(fault.status, fault.code, fault.description);
    case "5xx":
      return new Refusal(
        fault.status ?? 502,
        0,
        `${fault.status ?? 502}: ${fault.status === 500 ? "Internal Server Error" : "Bad Gateway"}`,
      );
    default:
      return null;
  }
}
