import type { TokenUsage } from "../core/message/transcript.ts";
import type { Turn, TurnOutcome } from "../core/session/turn.ts";

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
