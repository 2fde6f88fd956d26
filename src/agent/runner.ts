import type { ModelRef, ModelRequest, StepEvent } from "../core/model.ts";

/** What is known of a model before it is called. */
export interface ModelFacts {
  readonly contextTokens: number;
  readonly images: boolean;
  /** Price per million tokens, when configured. */
  readonly price: { readonly input: number; readonly output: number } | null;
}

/**
 * PORT: one model call. The stream ends with exactly one `done` or `failed`; it never throws, failures are values.
 * A malformed tool call is passed on as a `tool_call` whose `args` hold the raw text, so that the loop answers it (TN-7).
 */
export interface AgentRunner {
  step(request: ModelRequest, signal: AbortSignal): AsyncIterable<StepEvent>;
  facts(model: ModelRef): ModelFacts;
}
