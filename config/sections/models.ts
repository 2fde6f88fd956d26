import { z } from "zod";
import type { ModelRef } from "../../src/core/model.ts";
import type { ModelOverrides, ModelSettings, ProviderSettings } from "../../src/core/settings.ts";
import type { ConfigPath, Findings } from "../load/findings.ts";
import { didYouMean } from "../load/nearest.ts";
import { filledText, flag, nameText } from "./values.ts";

const price = z.strictObject({ input: z.number().nonnegative(), output: z.number().nonnegative() });

const provider = z.strictObject({
  type: z.enum(["openai", "anthropic", "google", "openai-compatible", "demo"]).optional(),
  baseUrl: z.url({ protocol: /^https?$/, error: "is not a web address" }).optional(),
  apiKey: filledText.optional(),
  models: z
    .record(
      z.string(),
      z.strictObject({
        contextTokens: z.int().min(1_000).optional(),
        images: flag.optional(),
        price: price.optional(),
      }),
    )
    .optional(),
});
export type ProviderSection = z.infer<typeof provider>;

export const modelsSchema = z.strictObject({
  providers: z.record(nameText, provider).optional(),
  aliases: z.record(nameText, filledText).optional(),
});
export type ModelsSection = z.infer<typeof modelsSchema>;

const DEMO: ProviderSettings = { id: "demo", type: "demo", baseUrl: null, apiKey: null, models: new Map() };
const DEMO_MODEL = "switchyard";

/** The providers with what their type needs (OP-3); `demo` is always there, so that everything can be tried without a key. */
export function normaliseModels(section: ModelsSection | undefined, findings: Findings): ModelSettings {
  const providers = new Map<string, ProviderSettings>();
  for (const [id, provider] of Object.entries(section?.providers ?? {})) {
    providers.set(id, normaliseProvider(id, provider, findings));
  }
  if (!providers.has(DEMO.id)) providers.set(DEMO.id, DEMO);
  const aliases = new Map<string, ModelRef>();
  for (const [alias, target] of Object.entries(section?.aliases ?? {})) {
    const ref = modelRef(target, { providers, aliases: new Map() }, { findings, path: ["models", "aliases", alias] });
    if (ref !== null) aliases.set(alias, ref);
  }
  return { providers, aliases };
}

function normaliseProvider(id: string, section: ProviderSection, findings: Findings): ProviderSettings {
  const path = ["models", "providers", id];
  const type = section.type;
  if (type === undefined) {
    findings.fault(
      [...path, "type"],
      "is missing",
      'Write type: "openai", "anthropic", "google", "openai-compatible" or "demo".',
    );
  }
  if (type === "openai-compatible" && section.baseUrl === undefined) {
    findings.fault(
      [...path, "baseUrl"],
      "is missing",
      'Write the server\'s address, such as baseUrl: "http://127.0.0.1:11434/v1".',
    );
  }
  if ((type === "openai" || type === "anthropic" || type === "google") && section.apiKey === undefined) {
    findings.fault(
      [...path, "apiKey"],
      "is missing",
      `Write apiKey: "\${${KEY_VARIABLE[type]}}" and set that variable.`,
    );
  }
  const models = Object.entries(section.models ?? {}).map(([name, model]): [string, ModelOverrides] => [
    name,
    { contextTokens: model.contextTokens ?? null, images: model.images ?? null, price: model.price ?? null },
  ]);
  return {
    id,
    type: type ?? "openai-compatible",
    baseUrl: section.baseUrl ?? null,
    apiKey: section.apiKey ?? null,
    models: new Map(models),
  };
}

const KEY_VARIABLE = { openai: "OPENAI_API_KEY", anthropic: "ANTHROPIC_API_KEY", google: "GOOGLE_API_KEY" } as const;

/** A well-known provider only has to be declared; null for a name that says nothing of its type. */
function howToDeclare(provider: string): string | null {
  if (provider !== "openai" && provider !== "anthropic" && provider !== "google") return null;
  const section = `{ type: "${provider}", apiKey: "\${${KEY_VARIABLE[provider]}}" }`;
  return `Write models.providers.${provider}: ${section} and set that variable.`;
}

/** `provider/model` or an alias as a reference, or null after a fault (OP-3). */
export function modelRef(
  written: string,
  models: ModelSettings,
  at: { readonly findings: Findings; readonly path: ConfigPath },
): ModelRef | null {
  const alias = models.aliases.get(written);
  if (alias !== undefined) return alias;
  const cut = written.indexOf("/");
  if (cut <= 0 || cut === written.length - 1) {
    const known = [...models.aliases.keys(), ...[...models.providers.keys()].map((id) => `${id}/…`)];
    at.findings.fault(at.path, `"${written}" is neither provider/model nor an alias`, didYouMean(written, known));
    return null;
  }
  const ref = { provider: written.slice(0, cut), model: written.slice(cut + 1) };
  const provider = models.providers.get(ref.provider);
  if (provider === undefined) {
    at.findings.fault(
      at.path,
      `unknown model provider "${ref.provider}"`,
      howToDeclare(ref.provider) ?? didYouMean(ref.provider, [...models.providers.keys()]),
    );
    return null;
  }
  if (provider.type === "demo" && ref.model !== DEMO_MODEL) {
    at.findings.fault(
      at.path,
      `the demo provider has no model "${ref.model}"`,
      `Write "${ref.provider}/${DEMO_MODEL}".`,
    );
    return null;
  }
  return ref;
}
