import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { ProviderSettings } from "../../core/settings.ts";
import { keepAliveFetch } from "./keep-alive-fetch.ts";
import type { ModelProvider } from "./provider.ts";
import { sdkProvider } from "./sdk-provider.ts";

/** Any server that speaks OpenAI's chat completions: Ollama, vLLM, LM Studio, OpenRouter … (OP-3). */
export function openaiCompatible(settings: ProviderSettings): ModelProvider {
  const provider = createOpenAICompatible({
    // Not `openaiCompatible`: the SDK copies data under that name into the messages on the wire.
    name: "compatible",
    baseURL: settings.baseUrl ?? "http://127.0.0.1:11434/v1",
    includeUsage: true,
    fetch: keepAliveFetch,
    ...(settings.apiKey === null ? {} : { apiKey: settings.apiKey }),
  });
  return sdkProvider({
    model: (name) => provider.chatModel(name),
    style: { namespace: "compatible", unsignedReasoning: "current", cacheMark: null },
  });
}
