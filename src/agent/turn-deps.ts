import type { LocalTime } from "../core/local-time.ts";
import type { Runtime } from "../core/runtime.ts";
import type { SessionKey } from "../core/session/session-key.ts";
import type { Settings } from "../core/settings.ts";
import type { Compose } from "../delivery/composer.ts";
import type { Threads } from "../delivery/threads.ts";
import type { LiveTurns } from "../sessions/live-turns.ts";
import type { ReplySignal } from "../sessions/reply-signal.ts";
import type { ReadAttachment } from "../sessions/transcript-window.ts";
import type { Store } from "../store/store.ts";
import type { EffectiveToolsOf } from "../tools/policy.ts";
import type { BackoffPolicy } from "./model-call.ts";
import type { AgentRunner } from "./runner.ts";
import type { AnswerPorts } from "./turn-answer.ts";
import type { TurnEvents } from "./turn-events.ts";
import type { OpenTurnOutput } from "./turn-output.ts";

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
