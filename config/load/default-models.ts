import { DEMO_CHOSEN, keyChosen, ollamaChosen } from "../../src/core/texts/config/load.ts";
import type { Environment } from "./environment.ts";
import { isTree, type Tree } from "./value-tree.ts";

export interface DefaultModel {
  readonly model: string;
  readonly providers: Tree;
  /** One sentence for the operator. */
  readonly reason: string;
}

export const DEMO_MODEL: DefaultModel = {
  model: "demo/switchyard",
  providers: { demo: { type: "demo" } },
  reason: DEMO_CHOSEN,
};

const OLLAMA = "http://127.0.0.1:11434";
const OLLAMA_PATIENCE_MS = 500;

/**
 * The model of a configuration that names none (OP-3): OpenAI or Anthropic when their key is in the environment, else an
 * Ollama on its default port, else the demo model.
 */
export async function defaultModel(env: Environment, ollamaUrl: string = OLLAMA): Promise<DefaultModel> {
  if (isSet(env.OPENAI_API_KEY)) {
    return {
      model: "openai/gpt-5-mini",
      providers: { openai: { type: "openai", apiKey: env.OPENAI_API_KEY } },
      reason: keyChosen("OPENAI_API_KEY", "openai/gpt-5-mini"),
    };
  }
  if (isSet(env.ANTHROPIC_API_KEY)) {
    return {
      model: "anthropic/claude-sonnet-5",
      providers: { anthropic: { type: "anthropic", apiKey: env.ANTHROPIC_API_KEY } },
      reason: keyChosen("ANTHROPIC_API_KEY", "anthropic/claude-sonnet-5"),
    };
  }
  const model = await firstOllamaModel(ollamaUrl);
  if (model === null) return DEMO_MODEL;
  return {
    model: `ollama/${model}`,
    providers: { ollama: { type: "openai-compatible", baseUrl: `${ollamaUrl}/v1` } },
    reason: ollamaChosen(model),
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}

/** null when no Ollama answers there: most machines have none, so a refused connection is the ordinary case. */
async function firstOllamaModel(url: string): Promise<string | null> {
  try {
    const response = await fetch(`${url}/api/tags`, { signal: AbortSignal.timeout(OLLAMA_PATIENCE_MS) });
    const body: unknown = response.ok ? await response.json() : null;
    const models: readonly unknown[] = isTree(body) && Array.isArray(body.models) ? body.models : [];
    const first = models.filter(isTree).find((model) => typeof model.name === "string" && !isEmbedder(model));
    return typeof first?.name === "string" ? first.name : null;
  } catch {
    return null;
  }
}

/** A model that makes embeddings cannot chat (FC-322): its family, or its name, says so. */
function isEmbedder({ name, details }: Tree): boolean {
  const families = isTree(details) ? [details.family, details.families].flat() : [];
  return [name, ...families].some(
    (word) => typeof word === "string" && /embed|bert|minilm|(^|\/)(bge|gte|e5)\b/i.test(word),
  );
}
