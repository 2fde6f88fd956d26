import type { LanguageModelV4, LanguageModelV4CallOptions, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ModelRequest, StepEvent } from "../../core/model.ts";
import type { ThinkingLevel } from "../../core/session/session.ts";
import { callIdsOf, createAnswer } from "./answer.ts";
import { type PromptStyle, toPrompt, toTools } from "./prompt.ts";
import type { CallContext, ModelProvider } from "./provider.ts";

export interface SdkProviderOptions {
  /** The SDK's model object for a model name. */
  readonly model: (name: string) => LanguageModelV4;
  readonly style: PromptStyle;
  readonly providerOptions?: SharedV4ProviderOptions;
  readonly strictTools?: false;
}

/**
 * A provider of the AI SDK, called through `doStream` directly: one request per step, no retries, no second stream
 * machinery above it (docs/decisions/0002-model-calls.md has the figures).
 */
export function sdkProvider(options: SdkProviderOptions): ModelProvider {
  const models = new Map<string, LanguageModelV4>();

  async function* step(request: ModelRequest, context: CallContext): AsyncIterable<StepEvent> {
    let model = models.get(request.model.model);
    if (model === undefined) {
      model = options.model(request.model.model);
      models.set(request.model.model, model);
    }
    const { stream } = await model.doStream(callOptions(request, context, options));
    context.alive();
    const answer = createAnswer(callIdsOf(request.messages));
    const reader = stream.getReader();
    try {
      for (;;) {
        const { done, value: part } = await reader.read();
        if (done) break;
        context.alive();
        if (part.type === "error") throw part.error;
        const event = answer.accept(part);
        if (event !== null) yield event;
      }
    } finally {
      // Ends the request when the consumer or an error leaves early; on a finished or failed stream it does nothing.
      await reader.cancel().catch(() => undefined);
    }
    const done = answer.done();
    if (done !== null) yield done;
  }

  return { step };
}

function callOptions(
  request: ModelRequest,
  context: CallContext,
  options: SdkProviderOptions,
): LanguageModelV4CallOptions {
  return {
    prompt: toPrompt(request, options.style),
    abortSignal: context.signal,
    ...(request.tools.length === 0
      ? {}
      : { tools: toTools(request.tools, options.strictTools === false ? { strict: false } : {}) }),
    ...(request.thinking === null ? {} : { reasoning: toReasoning(request.thinking) }),
    ...(options.providerOptions === undefined ? {} : { providerOptions: options.providerOptions }),
  };
}

function toReasoning(level: ThinkingLevel): NonNullable<LanguageModelV4CallOptions["reasoning"]> {
  return level === "off" ? "none" : level;
}
