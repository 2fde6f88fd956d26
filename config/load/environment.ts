import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { ConfigError } from "../../src/core/errors.ts";
import {
  DEMO_CHOSEN,
  fileUnreadable,
  keyChosen,
  notAVariable,
  ollamaChosen,
  variableUnset,
} from "../../src/core/texts/config/load.ts";
import { isTree, mapTexts, removeAt, type Tree, valueAt } from "./faults.ts";
import { type ConfigPath, type Findings, pathText } from "./findings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A file's text, or null when there is no such file. Other failures are thrown: they must not look like absence. */
export function readIfExists(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return null;
    throw error;
  }
}

/** A folder of this name belongs to another tool, such as Python. A file that cannot be read is a fault, or its tokens would seem unset. */
function envFile(path: string): string | null {
  try {
    return readIfExists(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EISDIR") return null;
    throw new ConfigError([{ path, ...fileUnreadable(error instanceof Error ? error.message : String(error)) }]);
  }
}

/**
 * The environment with what `.env` beside the configuration file and in the working directory add (OP-2). The real
 * environment wins unless it is empty, then the file of the working directory.
 */
export function withEnvFiles(
  env: Environment,
  places: { readonly cwd: string; readonly configPath: string | null },
): Environment {
  const folders = [places.configPath === null ? null : dirname(places.configPath), places.cwd];
  const merged: Record<string, string | undefined> = {};
  for (const folder of folders) {
    const text = folder === null ? null : envFile(join(folder, ".env"));
    if (text !== null) Object.assign(merged, parseEnv(text.replace(/^\uFEFF/, "")));
  }
  // A container sets variables it has no value for to nothing; that must not hide the file's (FC-322).
  const filled = Object.entries(env).filter(([name, value]) => (value ?? "") !== "" || (merged[name] ?? "") === "");
  return { ...merged, ...Object.fromEntries(filled) };
}

/**
 * Replaces `${NAME}` in every text (OP-2); `$${` writes a plain `${`. An unset or empty variable is a fault, except in
 * a channel, account or MCP server that is switched off: there the key counts as absent.
 */
export function substituteEnv(tree: Tree, env: Environment, findings: Findings): Tree {
  const absent: ConfigPath[] = [];
  const fill = (text: string, path: ConfigPath): string =>
    text.replace(/\$?\$\{([^}]*)\}/g, (whole, name: string) => {
      if (whole.startsWith("$$")) return whole.slice(1);
      const value = env[name];
      if (value !== undefined && value !== "") return value;
      if (isSwitchedOff(tree, path)) absent.push(path);
      else reportUnset(name, path, findings);
      return whole;
    });
  const filled = mapTexts(tree, fill) as Tree;
  // From the back, so that the indices of a list stay right.
  for (const path of absent.reverse()) removeAt(filled, path);
  return filled;
}

/** Keys and tokens as they were meant: pasting adds quotes, line breaks and characters that nobody sees (FC-322). */
export function cleanSecrets(tree: Tree): Tree {
  return mapTexts(tree, (text, path) => (SECRET_KEY.test(String(path.at(-1))) ? cleanSecret(text) : text)) as Tree;
}

const SECRET_KEY = /(?:apiKey|token|secret)$/i;
const UNSEEN = /[\s\p{Cc}\p{Cf}\u3164\uFFA0]+/gu;

function cleanSecret(text: string): string {
  const bare = text.replace(UNSEEN, (found) => (found === " " ? " " : "")).trim();
  return /^(["'`]).*\1$/s.test(bare) && bare.length > 1 ? bare.slice(1, -1).trim() : bare;
}

function isSwitchedOff(tree: Tree, path: ConfigPath): boolean {
  if (path[0] !== "channels" && path[0] !== "mcp") return false;
  const sections =
    path[0] === "mcp" ? [path.slice(0, 3)] : [path.slice(0, 2), path[2] === "accounts" ? path.slice(0, 4) : []];
  return sections.some((section) => section.length > 0 && valueAt(tree, [...section, "enabled"]) === false);
}

function reportUnset(name: string, path: ConfigPath, findings: Findings): void {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    findings.fault(path, variableUnset(name, pathText(path)));
    return;
  }
  findings.fault(path, notAVariable(name));
}

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
