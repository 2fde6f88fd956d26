import type { ModelRef } from "./model.ts";
import type { ModelSettings } from "./settings.ts";

/** What is known of a model before it is called. */
export interface ModelFacts {
  readonly contextTokens: number;
  readonly images: boolean;
  /** Price per million tokens, when configured. */
  readonly price: { readonly input: number; readonly output: number } | null;
}

const DEFAULT_CONTEXT_TOKENS = 128_000;

/**
 * Context windows of well-known families, by prefix of the model name after the last `/` (routers write
 * `vendor/model`). The first match counts, so longer prefixes stand first.
 */
const FAMILIES: readonly { readonly prefix: string; readonly contextTokens: number; readonly images: boolean }[] = [
  { prefix: "gpt-5-chat", contextTokens: 128_000, images: true },
  { prefix: "gpt-5", contextTokens: 400_000, images: true },
  { prefix: "gpt-4.1", contextTokens: 1_047_576, images: true },
  { prefix: "gpt-4o", contextTokens: 128_000, images: true },
  { prefix: "gpt-oss", contextTokens: 131_072, images: false },
  { prefix: "gpt-3.5", contextTokens: 16_385, images: false },
  { prefix: "o3-mini", contextTokens: 200_000, images: false },
  { prefix: "o1", contextTokens: 200_000, images: true },
  { prefix: "o3", contextTokens: 200_000, images: true },
  { prefix: "o4", contextTokens: 200_000, images: true },
  { prefix: "claude-", contextTokens: 200_000, images: true },
  { prefix: "gemini-", contextTokens: 1_048_576, images: true },
  { prefix: "gemma3", contextTokens: 131_072, images: true },
  { prefix: "gemma-3", contextTokens: 131_072, images: true },
  { prefix: "llama3.2-vision", contextTokens: 131_072, images: true },
  { prefix: "llama4", contextTokens: 131_072, images: true },
  { prefix: "llama-4", contextTokens: 131_072, images: true },
  { prefix: "llama3:", contextTokens: 8_192, images: false },
  { prefix: "pixtral", contextTokens: 131_072, images: true },
  { prefix: "llava", contextTokens: 4_096, images: true },
  { prefix: "qwen2.5-vl", contextTokens: 131_072, images: true },
  { prefix: "qwen2.5vl", contextTokens: 131_072, images: true },
  { prefix: "qwen3-vl", contextTokens: 262_144, images: true },
];

/**
 * Context window, image support and price of a model, without asking anybody: the configuration's
 * `models.<name>` first, then the family table, then 128000 tokens without images. Price only from the configuration.
 */
export function modelFacts(models: ModelSettings, ref: ModelRef): ModelFacts {
  const overrides = models.providers.get(ref.provider)?.models.get(ref.model) ?? null;
  const name = ref.model.slice(ref.model.lastIndexOf("/") + 1).toLowerCase();
  const family = FAMILIES.find((candidate) => name.startsWith(candidate.prefix)) ?? null;
  return {
    contextTokens: overrides?.contextTokens ?? family?.contextTokens ?? DEFAULT_CONTEXT_TOKENS,
    images: overrides?.images ?? family?.images ?? false,
    price: overrides?.price ?? null,
  };
}
