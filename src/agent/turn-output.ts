import type { ToolCall } from "./loop.ts";
import type { TurnFrame } from "./turn-frame.ts";

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
