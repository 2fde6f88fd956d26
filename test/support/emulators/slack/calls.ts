import type { MethodName } from "./method-names.ts";

/** One validated request, in the order of arrival. */
export interface CallRecord {
  number: number;
  method: MethodName;
  appId: string;
  /** Validated arguments. */
  args: Readonly<Record<string, unknown>>;
  /** When it arrived, milliseconds since the epoch with fraction. */
  at: number;
  /** How it ended; `open` while it is being answered. */
  outcome: "open" | "ok" | "refused" | "cut";
  /** The answer when carried out, without `ok`. */
  result?: unknown;
  /** The platform's error name. */
  refusal?: string;
  /** When it was answered. */
  answeredAt?: number;
}

/** The log of validated requests. */
export class CallLog {
  readonly #calls: CallRecord[] = [];
  readonly #limit: number;
  #number = 0;

  /** Keeps the last `limit` calls. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  open(method: MethodName, appId: string, args: Record<string, unknown>, at: number): CallRecord {
    this.#number += 1;
    const record: CallRecord = { number: this.#number, method, appId, args, at, outcome: "open" };
    this.#calls.push(record);
    // Cut in large steps: one shift per call would move the whole array each time.
    if (this.#calls.length > this.#limit * 2) this.#calls.splice(0, this.#calls.length - this.#limit);
    return record;
  }

  of(method?: MethodName): CallRecord[] {
    return this.#calls.filter((call) => method === undefined || call.method === method);
  }
}
