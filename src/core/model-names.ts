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
    const listed = [
      ...provider.models.keys(),
      ...modelsInUse(settings)
        .filter((ref) => ref.provider === provider.id)
        .map((ref) => ref.model),
    ];
    if (provider.models.size === 0 || listed.includes(model))
      return { known: true, ref: { provider: provider.id, model } };
  }
  return { known: false, close: nearestNames(written, knownModels(settings)) };
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
