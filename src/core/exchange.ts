import type { CallId, RunId } from "./ids.ts";
import type { Rights } from "./rights.ts";
import type { Route } from "./route.ts";
import type { SessionKey } from "./session-key.ts";

/** How an exchange's reply travels: decided once, by compare-and-set (ST-21). */
export type ExchangeState = "waiting" | "replied" | "expired" | "closed";

/** One `sessions_send`. */
export interface Exchange {
  readonly runId: RunId;
  readonly callId: CallId;
  readonly from: SessionKey;
  readonly to: SessionKey;
  readonly state: ExchangeState;
  /** When waiting ends; null: it never waited. */
  readonly deadline: number | null;
  readonly route: Route | null;
  readonly rights: Rights;
  readonly reply: string | null;
  readonly replyStatus: "ok" | "no_reply" | "error" | null;
  readonly createdAt: number;
}
