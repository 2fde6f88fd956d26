import type { ModelError } from "./errors.ts";
import type { JsonObject } from "./json.ts";
import type { MessagePart, TokenUsage } from "./message/transcript.ts";
import type { ThinkingLevel } from "./session/session.ts";

/** `provider/model`, resolved from aliases (OP-3). */
export interface ModelRef {
  readonly provider: string;
  readonly model: string;
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
}

/** A message as a model sees it; tool results follow the assistant message that called. */
export interface ModelMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly parts: readonly ModelPart[];
}

export type ModelPart =
  | Exclude<MessagePart, { type: "attachment" }>
  | { readonly type: "image"; readonly mime: string; readonly bytes: Uint8Array };

export interface ModelRequest {
  readonly model: ModelRef;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly thinking: ThinkingLevel | null;
}

/** `filtered`: withheld by the provider; `refused`: the model declined. */
export type FinishReason = "stop" | "tool_calls" | "length" | "filtered" | "refused" | "other";

export type StepEvent =
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "reasoning"; readonly delta: string }
  | {
      readonly type: "done";
      readonly parts: readonly MessagePart[];
      readonly usage: TokenUsage;
      readonly finish: FinishReason;
    }
  | { readonly type: "failed"; readonly error: ModelError };
