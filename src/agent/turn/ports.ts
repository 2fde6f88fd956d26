import type { StoredAttachment, TokenUsage } from "../../core/message/transcript.ts";
import type { ModelRef } from "../../core/model.ts";
import type { Clock, Runtime } from "../../core/runtime.ts";
import type { PresentAccessOf } from "../../core/session/present-access.ts";
import type { Session, ThinkingLevel } from "../../core/session/session.ts";
import type { SessionKey } from "../../core/session/session-key.ts";
import type { Turn, TurnOutcome } from "../../core/session/turn.ts";
import type { AgentSettings, Settings } from "../../core/settings.ts";
import type { LocalTime } from "../../core/time.ts";
import type { DeliveryAccounts } from "../../delivery/pacing.ts";
import type { Compose, Threads } from "../../delivery/way-out.ts";
import type { ReadAttachment } from "../../sessions/file-content.ts";
import type { LiveTurns } from "../../sessions/live-turns.ts";
import type { ReplySignal } from "../../sessions/reply-signal.ts";
import type { Store } from "../../store/store.ts";
import type { EffectiveTools, EffectiveToolsOf } from "../../tools/policy.ts";
import type { BackoffPolicy } from "../model-call.ts";
import type { AgentRunner } from "../runner.ts";
import type { ToolCall } from "./loop.ts";

/** Everything a turn works with, fixed when it begins (OP-2: a turn keeps the configuration it began with). */
export interface TurnFrame {
  readonly settings: Settings;
  readonly agent: AgentSettings;
  readonly session: Session;
  readonly turn: Turn;
  /** The model, then the fallbacks. */
  readonly models: readonly ModelRef[];
  readonly thinking: ThinkingLevel | null;
  readonly tools: EffectiveTools;
}

export interface AnswerPorts {
  readonly store: Pick<Store, "read">;
  readonly accounts: DeliveryAccounts;
  readonly clock: Clock;
  readonly localTime: Pick<LocalTime, "lastHour">;
  readonly storeFile: (file: { name: string; mime: string; bytes: Uint8Array }) => Promise<StoredAttachment>;
}

/** What turns work with, given in at composition. */
export interface TurnDeps extends Runtime, AnswerPorts {
  readonly store: Store;
  readonly settings: () => Settings;
  readonly runner: () => AgentRunner;
  readonly liveTurns: LiveTurns;
  readonly threads: Threads;
  readonly compose: Compose;
  readonly replies: ReplySignal;
  readonly effectiveTools: EffectiveToolsOf;
  /** The access rules, for inputs that have waited (IN-18). */
  readonly presentAccess: PresentAccessOf;
  readonly openOutput: OpenTurnOutput;
  readonly readAttachment: ReadAttachment;
  readonly localTime: LocalTime;
  readonly events: TurnEvents;
  readonly version: string;
  /** True once the process is shutting down: turns stop at their next boundary and go on after the restart (OP-9). */
  readonly draining: () => boolean;
  readonly backoff: BackoffPolicy;
  /** Has the session looked at again at a time: its turn is not to begin before. */
  readonly lookAgain: (key: SessionKey, at: number) => void;
}

/** What happens in turns, for metrics (OP-8), the page's progress lines and tests that wait on events. No content. */
export type TurnEvent =
  | { readonly type: "turn_begun"; readonly turn: Turn; readonly resumed: boolean; readonly receivedAt: number | null }
  | {
      readonly type: "step";
      readonly turn: Turn;
      readonly model: string;
      readonly usage: TokenUsage;
      readonly ms: number;
    }
  | { readonly type: "tool_begun"; readonly turn: Turn; readonly tool: string }
  | {
      readonly type: "tool_ended";
      readonly turn: Turn;
      readonly tool: string;
      readonly status: string;
      readonly ms: number;
    }
  | {
      readonly type: "turn_ended";
      readonly turn: Turn;
      readonly outcome: TurnOutcome;
      readonly ms: number;
    };

export type TurnEvents = (event: TurnEvent) => void;

/** What people see while a turn works: typing and the streaming preview (TN-10, TN-11). Failures of it never matter. */
export interface TurnOutput {
  /** All text of the model call in progress, as the model gave it. */
  text(text: string): void;
  /** A call begins; of a resumed turn also those that were made before. */
  tool(call: ToolCall): void;
  /** Stops everything and resolves when nothing of it can reach the platform any more; before the turn's end is stored. */
  finish(): Promise<void>;
}

export type OpenTurnOutput = (frame: TurnFrame) => TurnOutput;
