import type { ModelRef } from "./model.ts";
import { nearestNames } from "./nearest.ts";
import type { ModelPrice } from "./session/spending.ts";
import type { ModelSettings, Settings } from "./settings.ts";

export function modelRefText(ref: ModelRef): string {
  return `${ref.provider}/${ref.model}`;
}

export type ResolvedModel =
  | { readonly known: true; readonly ref: ModelRef }
  /** `close`: names it may have meant. */
  | { readonly known: false; readonly close: readonly string[] };

/**
 * The model a name means: an alias or `provider/model` (OP-3). A provider that lists its models knows only those; one that
 * lists none takes any name.
 */
export function resolveModel(settings: Settings, written: string): ResolvedModel {
  const alias = settings.models.aliases.get(written);
  if (alias !== undefined) return { known: true, ref: alias };
  const slash = written.indexOf("/");
  const provider = settings.models.providers.get(written.slice(0, slash));
  const model = written.slice(slash + 1);
  if (slash > 0 && provider !== undefined && model !== "") {
    const { models, open } = modelsOf(settings, provider.id);
    if (open || models.includes(model)) return { known: true, ref: { provider: provider.id, model } };
  }
  return { known: false, close: nearestNames(written, knownModels(settings)) };
}

/** A provider's models by name: those it lists and those agents use. `open`: it lists none, so that any other name works too. */
export function modelsOf(
  settings: Settings,
  providerId: string,
): { readonly models: readonly string[]; readonly open: boolean } {
  const listed = [...(settings.models.providers.get(providerId)?.models.keys() ?? [])];
  const used = modelsInUse(settings).filter((ref) => ref.provider === providerId);
  return { models: [...new Set([...listed, ...used.map((ref) => ref.model)])], open: listed.length === 0 };
}

/** Every model a person can name: aliases, listed models, and those agents use. */
export function knownModels(settings: Settings): readonly string[] {
  const listed = [...settings.models.providers.values()].flatMap((provider) =>
    [...provider.models.keys()].map((model) => `${provider.id}/${model}`),
  );
  return [...new Set([...settings.models.aliases.keys(), ...listed, ...modelsInUse(settings).map(modelRefText)])];
}

function modelsInUse(settings: Settings): readonly ModelRef[] {
  return [...settings.agents.values()].flatMap((agent) => [agent.model, ...agent.fallbacks]);
}

/** What is known of a model before it is called. */
export interface ModelFacts {
  readonly contextTokens: number;
  readonly images: boolean;
  /** Price per million tokens, when configured. */
  readonly price: ModelPrice | null;
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
 * Context window, image support and price of a model, without a network call: the configuration's
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
