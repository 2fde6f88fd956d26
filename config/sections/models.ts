import { z } from "zod";
import type { ModelRef } from "../../src/core/model.ts";
import type { ModelOverrides, ModelSettings, ProviderSettings } from "../../src/core/settings.ts";
import {
  apiKeyMissing,
  BASE_URL_MISSING,
  badDuration,
  noDemoModel,
  notAModel,
  PROVIDER_TYPE_MISSING,
  undeclaredProvider,
  unknownProvider,
} from "../../src/core/texts/config/sections.ts";
import { type FaultText, MUST } from "../../src/core/texts/config/shape.ts";
import type { ConfigPath, Findings } from "../load/findings.ts";
import { count, countFromOne, duration, durationMs, filledText, flag, nameText } from "./values.ts";

const amount = z.number().nonnegative();
/** Per million tokens. Without `cachedInput` and `cacheWrite` such tokens cost as much as other input. */
const price = z.strictObject({
  input: amount,
  output: amount,
  cachedInput: amount.optional(),
  cacheWrite: amount.optional(),
});

/** What the model's server takes and refuses, where Switchyard's table is wrong (OP-3). */
const quirks = z.strictObject({
  reasoningBack: z.enum(["none", "loop", "calls", "all"]).optional(),
  thinking: flag.optional(),
  streamUsage: flag.optional(),
  pictures: flag.optional(),
  maxPictures: count.optional(),
  callIds: z.enum(["own", "nine"]).optional(),
  signedCalls: flag.optional(),
  userAfterResults: flag.optional(),
  system: z.enum(["system", "user"]).optional(),
  tools: z.enum(["full", "simple", "none"]).optional(),
  withoutTools: z.array(filledText).optional(),
  cacheMarks: flag.optional(),
  maxOutput: countFromOne.optional(),
  textCalls: flag.optional(),
});

const provider = z.strictObject({
  type: z.enum(["openai", "anthropic", "google", "openai-compatible", "demo"]).optional(),
  baseUrl: z.url({ protocol: /^https?$/, error: MUST.beWebAddress }).optional(),
  apiKey: filledText.optional(),
  firstToken: duration.optional(),
  models: z
    .record(
      z.string(),
      z.strictObject({
        contextTokens: z.int().min(1_000).optional(),
        images: flag.optional(),
        price: price.optional(),
        quirks: quirks.optional(),
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
    findings.fault([...path, "type"], PROVIDER_TYPE_MISSING);
  }
  if (type === "openai-compatible" && section.baseUrl === undefined) {
    findings.fault([...path, "baseUrl"], BASE_URL_MISSING);
  }
  if ((type === "openai" || type === "anthropic" || type === "google") && section.apiKey === undefined) {
    findings.fault([...path, "apiKey"], apiKeyMissing(KEY_VARIABLE[type]));
  }
  const models = Object.entries(section.models ?? {}).map(([name, model]): [string, ModelOverrides] => [
    name,
    {
      contextTokens: model.contextTokens ?? null,
      images: model.images ?? null,
      price: priceOf(model.price),
      quirks: given(model.quirks ?? {}),
    },
  ]);
  return {
    id,
    type: type ?? "openai-compatible",
    baseUrl: section.baseUrl ?? null,
    apiKey: section.apiKey ?? null,
    firstTokenMs:
      section.firstToken === undefined ? null : firstTokenOf(section.firstToken, [...path, "firstToken"], findings),
    models: new Map(models),
  };
}

/** Bounded by what a timer takes. */
function firstTokenOf(written: string | number, path: ConfigPath, findings: Findings): number | null {
  const ms = durationMs(written);
  if (ms === null) findings.fault(path, badDuration(written));
  return ms === null ? null : Math.min(ms, 86_400_000);
}

function priceOf(section: z.infer<typeof price> | undefined): ModelOverrides["price"] {
  return section === undefined ? null : { ...given(section), input: section.input, output: section.output };
}

/** Without the keys that nobody wrote. */
function given<T extends object>(section: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(section).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

const KEY_VARIABLE = { openai: "OPENAI_API_KEY", anthropic: "ANTHROPIC_API_KEY", google: "GOOGLE_API_KEY" } as const;

/** A well-known provider only has to be declared. */
function unknownProviderText(provider: string, known: readonly string[]): FaultText {
  if (provider !== "openai" && provider !== "anthropic" && provider !== "google")
    return unknownProvider(provider, known);
  return undeclaredProvider(provider, KEY_VARIABLE[provider]);
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
    at.findings.fault(at.path, notAModel(written, known));
    return null;
  }
  const ref = { provider: written.slice(0, cut), model: written.slice(cut + 1) };
  const provider = models.providers.get(ref.provider);
  if (provider === undefined) {
    at.findings.fault(at.path, unknownProviderText(ref.provider, [...models.providers.keys()]));
    return null;
  }
  if (provider.type === "demo" && ref.model !== DEMO_MODEL) {
    at.findings.fault(at.path, noDemoModel(ref.model, `${ref.provider}/${DEMO_MODEL}`));
    return null;
  }
  return ref;
}
