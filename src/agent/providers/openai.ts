import { createOpenAI } from "@ai-sdk/openai";
import type { ProviderSettings } from "../../core/settings.ts";
import { keepAliveFetch } from "./keep-alive-fetch.ts";
import type { ModelProvider } from "./provider.ts";
import { sdkProvider } from "./sdk-provider.ts";

/**
 * OpenAI through its Responses API. Nothing is kept at OpenAI (`store: false`): reasoning comes back encrypted and is
 * sent again with the conversation, so a session depends on no state but its own.
 */
export function openai(settings: ProviderSettings): ModelProvider {
  const provider = createOpenAI({
    fetch: keepAliveFetch,
    // An empty key is refused by OpenAI; null would make the SDK look into the environment on its own.
    apiKey: settings.apiKey ?? "",
    ...(settings.baseUrl === null ? {} : { baseURL: settings.baseUrl }),
  });
  return sdkProvider({
    model: (name) => provider.responses(name),
    style: { namespace: "openai", unsignedReasoning: "drop", cacheMark: null },
    providerOptions: { openai: { store: false } },
    strictTools: false,
  });
}
