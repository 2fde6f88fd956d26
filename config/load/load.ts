import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ConfigError, type ConfigFault } from "../../src/core/errors.ts";
import type { Settings } from "../../src/core/settings.ts";
import { fileMissing, fileUnreadable, modelChosen } from "../../src/core/texts/config/load.ts";
import { DEMO_MODEL, type DefaultModel, defaultModel, type Environment, withEnvFiles } from "./environment.ts";
import { isTree, type Tree, valueAt } from "./faults.ts";
import { type ConfigCatalog, parseConfig, parseText } from "./parse.ts";

export interface LoadInput extends FindInput {
  readonly catalog: ConfigCatalog;
  /** `--port`; wins over `SWITCHYARD_PORT`. */
  readonly port?: string | undefined;
  /** Where an Ollama is looked for; default its own port on this machine. */
  readonly ollamaUrl?: string;
}

export interface LoadedConfig {
  readonly settings: Settings;
  readonly warnings: readonly ConfigFault[];
  /** What was chosen by itself and works. */
  readonly notes: readonly ConfigFault[];
  /** null: no file, the defaults of `config/default.json5`. */
  readonly sourcePath: string | null;
  /** Further files that are part of it: instructions of agents. */
  readonly files: readonly string[];
}

const DEFAULT_FILE = fileURLToPath(new URL("../default.json5", import.meta.url));

/**
 * Loads the configuration (OP-2): finds the file, reads `.env`, substitutes, checks, normalises. Throws a ConfigError with
 * every fault at once. Relative paths start from the file's folder, without a file from the working directory.
 */
export async function loadConfig(input: LoadInput): Promise<LoadedConfig> {
  const sourcePath = findConfigFile({ ...input, env: withEnvFiles(input.env, { cwd: input.cwd, configPath: null }) });
  const env = withEnvFiles(input.env, { cwd: input.cwd, configPath: sourcePath });
  const tree = sourcePath === null ? readTree(DEFAULT_FILE) : readTree(sourcePath);
  const isModelNamed =
    valueAt(tree, ["agents", "defaults", "model"]) !== undefined ||
    valueAt(tree, ["models", "providers"]) !== undefined;
  const model = isModelNamed ? DEMO_MODEL : await defaultModel(env, input.ollamaUrl);
  const { settings, warnings, files } = parseConfig({
    tree,
    env,
    baseDir: sourcePath === null ? input.cwd : dirname(sourcePath),
    catalog: input.catalog,
    defaults: { agents: defaultAgents(), model: model.model, providers: model.providers },
    overrides: portOverride(input.port, env),
  });
  if (isModelNamed) return { settings, warnings, notes: [], sourcePath, files };
  const note = modelNote(model);
  // FC-339: a real model that was found is no problem.
  const isReal = model.model !== DEMO_MODEL.model;
  return {
    settings,
    warnings: isReal ? warnings : [...warnings, note],
    notes: isReal ? [note] : [],
    sourcePath,
    files,
  };
}

/** The agents of `config/default.json5`, for files that name none. */
export function defaultAgents(): Tree {
  const entries = valueAt(readTree(DEFAULT_FILE), ["agents", "entries"]);
  return isTree(entries) ? entries : {};
}

function modelNote(model: DefaultModel): ConfigFault {
  return { path: "agents.defaults.model", ...modelChosen(model.reason) };
}

function portOverride(port: string | undefined, env: Environment): { port?: { value: string; from: string } } {
  if (port !== undefined) return { port: { value: port, from: "--port" } };
  const named = env.SWITCHYARD_PORT;
  return named === undefined || named === "" ? {} : { port: { value: named, from: "SWITCHYARD_PORT" } };
}

function readTree(file: string): Tree {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([{ path: file, ...fileUnreadable(reason) }]);
  }
  return parseText(text, file);
}

export interface FindInput {
  /** `--config`. */
  readonly path?: string | undefined;
  readonly env: Environment;
  readonly cwd: string;
}

/**
 * The configuration file (OP-2): `--config`, `$SWITCHYARD_CONFIG`, `./switchyard.json5`, `~/.switchyard/switchyard.json5`;
 * null: none of them, so the defaults. A file that was named and does not exist is a ConfigError, never a silent default.
 */
export function findConfigFile({ path, env, cwd }: FindInput): string | null {
  if (path !== undefined) return existing(resolve(cwd, path), "--config");
  const named = env.SWITCHYARD_CONFIG;
  if (named !== undefined && named !== "") return existing(resolve(cwd, named), "SWITCHYARD_CONFIG");
  const home = env.HOME === undefined || env.HOME === "" ? homedir() : env.HOME;
  const places = [join(cwd, "switchyard.json5"), join(home, ".switchyard", "switchyard.json5")];
  return places.find((place) => existsSync(place)) ?? null;
}

function existing(file: string, from: string): string {
  if (existsSync(file)) return file;
  throw new ConfigError([{ path: from, ...fileMissing(file) }]);
}
