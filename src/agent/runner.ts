import type { ModelRef, ModelRequest, StepEvent } from "../core/model.ts";
import type { ModelFacts } from "../core/models.ts";

/**
 * PORT: one model call. The stream ends with exactly one `done` or `failed`; it never throws, failures are values.
 * A malformed tool call is passed on as a `tool_call` whose `args` hold the raw text, so that the loop answers it (TN-7).
 */
export interface AgentRunner {
  step(request: ModelRequest, signal: AbortSignal): AsyncIterable<StepEvent>;
  facts(model: ModelRef): ModelFacts;
}
