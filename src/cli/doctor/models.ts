import { existsSync } from "node:fs";
import type { DoctorFinding } from "../../channel/descriptor.ts";
import { modelRefText } from "../../core/models.ts";
import type { ProviderSettings, ProviderType, Settings } from "../../core/settings.ts";
import { learntFinding, learntFix, leftOutForModel } from "../../core/texts/agent/wire.ts";
import {
  DEMO_PROVIDER,
  fine,
  modelUnlisted,
  providerFine,
  providerRefuses,
  providerSilent,
  providerSubject,
  providerUnlisted,
} from "../../core/texts/cli/doctor.ts";
import { allLearntQuirks } from "../../store/reads/upkeep/learnt-quirks.ts";
import type { CliDeps } from "../deps.ts";
import { databaseFile } from "../invocation.ts";
import type { CheckCalls } from "./model-calls.ts";

type Reachable = Exclude<ProviderType, "demo">;

const ROOTS: Readonly<Record<Exclude<Reachable, "openai-compatible">, string>> = {
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
};

/** Every provider that an agent uses answers, takes the key, and has the model (OP-5). */
export async function checkModels(
  settings: Settings,
  { signal, call }: { readonly signal: () => AbortSignal; readonly call: CheckCalls | null },
): Promise<readonly DoctorFinding[]> {
  const wanted = new Map<string, Set<string>>();
  for (const agent of settings.agents.values()) {
    const refs = [agent.model, ...agent.fallbacks, ...(agent.subagents.model === null ? [] : [agent.subagents.model])];
    for (const ref of refs) wanted.set(ref.provider, (wanted.get(ref.provider) ?? new Set()).add(ref.model));
  }
  const findings = await Promise.all(
    [...wanted].map(async ([id, models]) => {
      const provider = settings.models.providers.get(id);
      if (provider === undefined) return [];
      const found = await checkProvider(provider, [...models], signal());
      // A server that is away or refuses the key has said so.
      const isAnswering = provider.type !== "demo" && found.every(({ level }) => level !== "error");
      return isAnswering && call !== null ? [...found, ...(await call(id, [...models]))] : found;
    }),
  );
  return findings.flat();
}

/** What was learnt of each model that was asked for (FC-301). A store that does not open is another finding's. */
export async function checkLearnt(
  settings: Settings,
  deps: Pick<CliDeps, "storeFiles" | "clock">,
): Promise<readonly DoctorFinding[]> {
  const file = databaseFile(settings);
  if (!existsSync(file)) return [];
  const store = await (await deps.storeFiles()).openForReading(file).catch(() => null);
  if (store === null) return [];
  try {
    const known = await store.read(allLearntQuirks, undefined);
    return known
      .filter(({ learnt }) => learnt.until > deps.clock.now())
      .map(({ model, learnt }) => ({
        level: "warning",
        subject: "models",
        message: learntFinding(model, leftOutForModel(learnt), learnt.because),
        fix: learntFix,
      }));
  } finally {
    await store.close();
  }
}

async function checkProvider(
  provider: ProviderSettings,
  models: readonly string[],
  signal: AbortSignal,
): Promise<readonly DoctorFinding[]> {
  const subject = providerSubject(provider.id);
  if (provider.type === "demo") {
    return [{ level: "ok", subject, ...fine(DEMO_PROVIDER) }];
  }
  const root = (provider.baseUrl ?? (provider.type === "openai-compatible" ? "" : ROOTS[provider.type])).replace(
    /\/+$/,
    "",
  );
  const list = (at: string): Promise<Response> => fetch(`${at}/models`, { headers: authorization(provider), signal });
  let response: Response;
  try {
    response = await list(root);
    // As the calls do it (FC-322): most servers want `/v1` where the address has no path.
    if (response.status === 404 && URL.parse(root)?.pathname === "/") response = await list(`${root}/v1`);
  } catch (error) {
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    return [{ level: "error", subject, ...providerSilent(root, reason, provider.id) }];
  }
  if (response.status === 401 || response.status === 403) {
    return [{ level: "error", subject, ...providerRefuses(root, response.status, provider.id) }];
  }
  if (!response.ok) {
    return [{ level: "warning", subject, ...providerUnlisted(root, response.status, provider.id) }];
  }
  const known = modelNames(await response.json().catch(() => null));
  const missing = known.length === 0 ? [] : models.filter((model) => !known.includes(model));
  if (missing.length === 0) return [{ level: "ok", subject, ...fine(providerFine(root, models)) }];
  return missing.map((model) => ({
    level: "warning",
    subject,
    ...modelUnlisted(modelRefText({ provider: provider.id, model }), known),
  }));
}

function authorization({ type, apiKey }: ProviderSettings): Record<string, string> {
  if (apiKey === null) return {};
  if (type === "anthropic") return { "x-api-key": apiKey, "anthropic-version": "2023-06-01" };
  if (type === "google") return { "x-goog-api-key": apiKey };
  return { authorization: `Bearer ${apiKey}` };
}

/** `{data: [{id}]}` as OpenAI and Anthropic list, `{models: [{name: "models/…"}]}` as Google lists; empty when neither. */
function modelNames(body: unknown): readonly string[] {
  if (typeof body !== "object" || body === null) return [];
  const list = "data" in body ? body.data : "models" in body ? body.models : null;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    if (typeof entry !== "object" || entry === null) return [];
    const name = "id" in entry ? entry.id : "name" in entry ? entry.name : null;
    return typeof name === "string" ? [name.replace(/^models\//, "")] : [];
  });
}
