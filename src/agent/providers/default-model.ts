import { request } from "node:http";
import type { ModelRef } from "../../core/model.ts";

export interface DefaultModelFacts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What `ollamaModels()` found; empty when there is no Ollama. */
  readonly ollamaModels: readonly string[];
}

/**
 * The model of the default configuration (OP-3): OpenAI or Anthropic when their key is in the environment (OpenAI first),
 * then the first chat model of an Ollama on its default port, else the demo model. `ollama` is to be a provider of type
 * `openai-compatible` at `http://127.0.0.1:11434/v1`.
 */
export function chooseDefaultModel(facts: DefaultModelFacts): ModelRef {
  if (present(facts.env.OPENAI_API_KEY)) return { provider: "openai", model: "gpt-5-mini" };
  if (present(facts.env.ANTHROPIC_API_KEY)) return { provider: "anthropic", model: "claude-sonnet-4-5" };
  const ollama = facts.ollamaModels.find((name) => !/embed|rerank/i.test(name));
  return ollama === undefined ? { provider: "demo", model: "switchyard" } : { provider: "ollama", model: ollama };
}

/** True when a key in the environment decides, so that nobody needs to ask for an Ollama. */
export function hasModelKey(env: Readonly<Record<string, string | undefined>>): boolean {
  return present(env.OPENAI_API_KEY) || present(env.ANTHROPIC_API_KEY);
}

function present(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== "";
}

/**
 * The models of an Ollama on this machine, in its own order; empty when none answers within `limitMs` (default 300).
 * A closed port answers at once. Never rejects. Ask only when `hasModelKey` says false.
 */
export function ollamaModels(options: { port?: number; limitMs?: number } = {}): Promise<readonly string[]> {
  const { promise, resolve } = Promise.withResolvers<readonly string[]>();
  const call = request({ host: "127.0.0.1", port: options.port ?? 11_434, path: "/api/tags", agent: false });
  const timer = setTimeout(() => call.destroy(new Error("too slow")), options.limitMs ?? 300);
  call.on("response", (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      text += chunk;
    });
    response.on("end", () => resolve(modelNames(text)));
    response.on("error", () => resolve([]));
  });
  call.on("error", () => resolve([]));
  call.on("close", () => {
    clearTimeout(timer);
    resolve([]);
  });
  call.end();
  return promise;
}

function modelNames(text: string): string[] {
  try {
    const body = JSON.parse(text) as { models?: { name?: unknown }[] };
    const names = Array.isArray(body.models) ? body.models.map((model) => model.name) : [];
    return names.filter((name) => typeof name === "string");
  } catch {
    return [];
  }
}
