import type { Route } from "../delivery/delivery.ts";
import type { RunId, SessionId, TurnId } from "../ids.ts";
import type { Rights } from "./rights.ts";
import type { Chain } from "./run.ts";
import type { SessionKey } from "./session-key.ts";

export type TurnOutcome = "reply" | "silent" | "yielded" | "error" | "timeout" | "aborted" | "interrupted";

/** What started a turn, fixed when it starts (TN-15): the kind of its first input, and where its answer goes. */
export interface TurnSource {
  readonly kind: "event" | "task" | "steer" | "inter_session" | "completion" | "notice";
  /** Where the answer goes; null: no outside delivery. */
  readonly route: Route | null;
  readonly rights: Rights;
  /** The platform message to quote (DL-9), when the source is a person's message. */
  readonly replyTo: string | null;
  /** The chain that set it off (ST-28); null: a person or the clock did, and what it sets off starts a new chain. */
  readonly chain: Chain | null;
}

/** One execution of an agent on a session. At most one is open per session (TN-1). */
export interface Turn {
  readonly id: TurnId;
  readonly sessionKey: SessionKey;
  readonly sessionId: SessionId;
  readonly source: TurnSource;
  /** Raised by every process that takes the turn; a step with an older fence writes nothing. */
  readonly fence: number;
  /** How often it was started without a new stored step; at 3 it ends `interrupted` (TN-2). */
  readonly begins: number;
  readonly runId: RunId | null;
  readonly outcome: TurnOutcome | null;
  readonly error: string | null;
  readonly stopRequested: boolean;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

/** Names the open turn a step belongs to; the store refuses the step when the fence is no longer current. */
export interface TurnFence {
  readonly turnId: TurnId;
  readonly fence: number;
}
