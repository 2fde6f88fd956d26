import type { ModelRequest, StepEvent } from "../../core/model.ts";
import type { ProviderSettings } from "../../core/settings.ts";

/** What a provider needs of the call it serves. */
export interface CallContext {
  /** Aborted when the caller gives up or the stream was idle for too long. */
  readonly signal: AbortSignal;
  /** Tells that the model gave a sign of life, also when no event comes of it (TN-5). */
  readonly alive: () => void;
}

/**
 * One configured provider. `step` is one model call; it may throw, and it ends after `done` or `failed`. Only
 * `createAgentRunner` calls it: that is where exceptions, silence and missing ends become values.
 */
export interface ModelProvider {
  step(request: ModelRequest, context: CallContext): AsyncIterable<StepEvent>;
}

export interface ProviderOptions {
  /** Milliseconds between two deltas of the demo model. */
  readonly demoDelayMs: number;
  readonly now: () => number;
}

/**
 * Loads the file of the provider's type. The import is dynamic because each SDK costs 100 ms and some megabytes, and
 * most installations use one.
 */
export async function loadProvider(settings: ProviderSettings, options: ProviderOptions): Promise<ModelProvider> {
  switch (settings.type) {
    case "openai":
      return (await import("./openai.ts")).openai(settings);
    case "anthropic":
      return (await import("./anthropic.ts")).anthropic(settings);
    case "google":
      return (await import("./google.ts")).google(settings);
    case "openai-compatible":
      return (await import("./openai-compatible.ts")).openaiCompatible(settings);
    case "demo":
      return (await import("./demo/demo.ts")).demo(options);
  }
}
