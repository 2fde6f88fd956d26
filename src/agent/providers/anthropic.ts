import { createAnthropic } from "@ai-sdk/anthropic";
import type { ProviderSettings } from "../../core/settings.ts";
import { keepAliveFetch } from "./keep-alive-fetch.ts";
import type { ModelProvider } from "./provider.ts";
import { sdkProvider } from "./sdk-provider.ts";

/** Anthropic's Messages API. The system text and the newest message carry cache marks: a chat's prefix is read again and again. */
export function anthropic(settings: ProviderSettings): ModelProvider {
  const provider = createAnthropic({
    fetch: keepAliveFetch,
    apiKey: settings.apiKey ?? "",
    ...(settings.baseUrl === null ? {} : { baseURL: settings.baseUrl }),
  });
  return sdkProvider({
    model: (name) => provider.messages(name),
    style: {
      namespace: "anthropic",
      unsignedReasoning: "drop",
      cacheMark: { anthropic: { cacheControl: { type: "ephemeral" } } },
    },
  });
}
