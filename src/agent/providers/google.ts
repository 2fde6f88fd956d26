import { createGoogle } from "@ai-sdk/google";
import type { ProviderSettings } from "../../core/settings.ts";
import { keepAliveFetch } from "./keep-alive-fetch.ts";
import type { ModelProvider } from "./provider.ts";
import { sdkProvider } from "./sdk-provider.ts";

/** Google's Gemini API. Thought signatures stay in `providerData` and go back with their parts. */
export function google(settings: ProviderSettings): ModelProvider {
  const provider = createGoogle({
    fetch: keepAliveFetch,
    apiKey: settings.apiKey ?? "",
    ...(settings.baseUrl === null ? {} : { baseURL: settings.baseUrl }),
  });
  return sdkProvider({
    model: (name) => provider.chat(name),
    style: { namespace: "google", unsignedReasoning: "drop", cacheMark: null },
  });
}
