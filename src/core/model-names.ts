import { type ModelRef, modelRefText } from "./model.ts";
import { nearestNames } from "./nearest.ts";
import type { Settings } from "./settings.ts";

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
