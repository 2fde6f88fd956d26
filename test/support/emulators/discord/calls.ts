import type { RouteName } from "./route-table.ts";

/** One validated request, in the order of arrival. */
export interface CallRecord {
  number: number;
  method: RouteName;
  /** The bot whose token came along; null for interactions and webhooks, whose path is their password. */
  botId: string | null;
  /** The ids in the path: `{channel_id, message_id}`. */
  path: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  /** Validated body; null when the route has none. */
  body: unknown;
  /** Names of the uploaded files. */
  files: readonly string[];
  /** When it arrived, milliseconds since the epoch with fraction. */
  at: number;
  /** How it ended; `open` while it is being answered. */
  outcome: "open" | "ok" | "refused" | "cut";
  /** The answer when carried out. */
  result?: unknown;
  /** Status, code and text of the refusal. */
  refusal?: { status: number; code: number; description: string };
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

  open(call: Omit<CallRecord, "number" | "outcome">): CallRecord {
    this.#number += 1;
    const record: CallRecord = { ...call, number: this.#number, outcome: "open" };
    this.#calls.push(record);
    // Cut in large steps: one shift per call would move the whole array each time.
    if (this.#calls.length > this.#limit * 2) this.#calls.splice(0, this.#calls.length - this.#limit);
    return record;
  }

  of(method?: RouteName): CallRecord[] {
    return this.#calls.filter((call) => method === undefined || call.method === method);
  }
}
