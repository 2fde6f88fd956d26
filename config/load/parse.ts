import JSON5 from "json5";
import type { ChannelDescriptor } from "../../src/channel/descriptor.ts";
import { ConfigError, type ConfigFault } from "../../src/core/errors.ts";
import type { Settings } from "../../src/core/settings.ts";
import { badPort, NOT_A_SECTION, notAvailable, setTwice, syntaxError } from "../../src/core/texts/config/load.ts";
import { cleanSecrets, type Environment, substituteEnv } from "./environment.ts";
import { checkAgainstSchema, isTree, pathsLike, removeAt, type Tree, valueAt } from "./faults.ts";
import { Findings, pathText } from "./findings.ts";
import { doubleKeys } from "./json5-text.ts";
import { type ConfigFile, configSchema, normalise } from "./schema.ts";
import { secretValues, serverSecrets, warnPlainSecrets } from "./secrets.ts";

/** What the product can do, as far as the configuration names it. */
export interface ConfigCatalog {
  readonly channels: readonly ChannelDescriptor[];
  readonly toolNames: readonly string[];
}

/** What stands for a missing model and missing agents; see `default-models.ts` and `default.json5`. */
export interface ConfigDefaults {
  /** The agents of a file that names none. */
  readonly agents: Tree;
  readonly model: string;
  /** Providers that the model needs, in the file's own shape. */
  readonly providers: Tree;
}

export interface ParseInput {
  readonly tree: Tree;
  readonly baseDir: string;
  readonly env: Environment;
  readonly catalog: ConfigCatalog;
  readonly defaults: ConfigDefaults;
  /** What stands above the file: `--port` and `SWITCHYARD_PORT` (OP-6). */
  readonly overrides?: { readonly port?: { readonly value: string; readonly from: string } };
}

export interface ParsedConfig {
  readonly settings: Settings;
  readonly warnings: readonly ConfigFault[];
  /** Files that the configuration names and that are part of it: instructions of agents. */
  readonly files: readonly string[];
}

/** Reads a file's text; nothing but space and comments is a file without keys. Throws a ConfigError with line and column (OP-2). */
export function parseText(text: string, sourcePath: string): Tree {
  if (isEmpty(text)) return {};
  let value: unknown;
  try {
    value = JSON5.parse(text);
  } catch (error) {
    throw new ConfigError([syntaxFault(error, sourcePath)]);
  }
  const twice = doubleKeys(text);
  if (twice.length > 0)
    throw new ConfigError(twice.map(({ path, places }) => ({ path: pathText(path), ...setTwice(places) })));
  if (isTree(value)) return value;
  throw new ConfigError([{ path: sourcePath, ...NOT_A_SECTION }]);
}

function isEmpty(text: string): boolean {
  return text.replace(/^\uFEFF|\/\/.*|\/\*[\s\S]*?\*\//g, "").trim() === "";
}

function syntaxFault(error: unknown, sourcePath: string): ConfigFault {
  const message = error instanceof Error ? error.message : String(error);
  const what = message.replace(/^JSON5: /, "").replace(/ at \d+:\d+$/, "");
  const place =
    error instanceof Error && "lineNumber" in error && "columnNumber" in error
      ? { line: Number(error.lineNumber), column: Number(error.columnNumber) }
      : null;
  return { path: sourcePath, ...syntaxError(place, what) };
}

/**
 * Turns a parsed file into Settings: refuses what has not arrived, substitutes the environment, checks every key, fills in
 * defaults. Throws one ConfigError with all faults (OP-2).
 */
export function parseConfig(input: ParseInput): ParsedConfig {
  const findings = new Findings();
  const { channels, toolNames } = input.catalog;
  const written = structuredClone(input.tree);
  refuseUnavailable(written, findings);
  warnPlainSecrets(written, channels, findings);
  const agentIds = agentIdsOf(written, input.defaults);
  const completed = withDefaults(cleanSecrets(substituteEnv(written, input.env, findings)), input.defaults);
  const checked = checkAgainstSchema(configSchema(channels), completed, findings) as ConfigFile;
  const mcpServers = Object.keys(checked.mcp?.servers ?? {});
  const files = new Set<string>();
  const onRead = (file: string): void => void files.add(file);
  const { env, baseDir } = input;
  const context = { findings, channels, toolNames, mcpServers, agentIds, env, baseDir, onRead };
  const secrets = [...secretValues(completed, channels), ...serverSecrets(written, completed, input.env)];
  const settings = normalise(checked, context, [...new Set(secrets)]);
  const port = overriddenPort(input, findings) ?? settings.http.port;
  if (findings.faults.length > 0) throw new ConfigError(findings.faults);
  return {
    settings: { ...settings, http: { ...settings.http, port } },
    warnings: findings.warnings,
    files: [...files],
  };
}

function agentIdsOf(tree: Tree, defaults: ConfigDefaults): readonly string[] {
  const entries = valueAt(withDefaults(tree, defaults), ["agents", "entries"]);
  return isTree(entries) ? Object.keys(entries) : [];
}

/** The file with the agents, the model and the providers it leaves out. What it says itself is never changed. */
function withDefaults(tree: Tree, defaults: ConfigDefaults): Tree {
  const agents = tree.agents ?? {};
  const models = tree.models ?? {};
  if (!isTree(agents) || !isTree(models)) return tree;
  const entries = agents.entries;
  const hasEntries = entries !== undefined && !(isTree(entries) && Object.keys(entries).length === 0);
  const namesModel = valueAt(agents, ["defaults", "model"]) !== undefined;
  const namesProviders = models.providers !== undefined;
  const agentDefaults = agents.defaults ?? {};
  const complete = namesModel || namesProviders || !isTree(agentDefaults);
  return {
    ...tree,
    agents: {
      ...agents,
      ...(hasEntries ? {} : { entries: defaults.agents }),
      ...(complete ? {} : { defaults: { ...agentDefaults, model: defaults.model } }),
    },
    ...(complete ? {} : { models: { ...models, providers: defaults.providers } }),
  };
}

function overriddenPort(input: ParseInput, findings: Findings): number | null {
  const given = input.overrides?.port;
  if (given === undefined) return null;
  const port = /^\d{1,5}$/.test(given.value) ? Number(given.value) : Number.NaN;
  if (port <= 65_535) return port;
  findings.fault(given.from, badPort(given.value));
  return null;
}

interface Unavailable {
  /** `*` stands for any one key. */
  readonly path: string;
  readonly what: string;
  /** Values that mean what happens anyway; everything is refused when absent. */
  readonly accepted?: (value: unknown) => boolean;
}

/** The schema's business: only these texts are known and to come. */
const noneOf =
  (...values: readonly unknown[]) =>
  (value: unknown): boolean =>
    !values.includes(value);

/**
 * Keys of the contract whose part has not arrived. They are faults, because a key that is silently ignored is a promise
 * that is silently broken (FC-089). A line goes when its part comes.
 */
const UNAVAILABLE: readonly Unavailable[] = [
  { path: "acp", what: "external harnesses over ACP" },
  { path: "hooks", what: "webhooks that start sessions" },
  { path: "agents.defaults.sandbox.mode", what: "the sandbox", accepted: noneOf("non-main", "all") },
  { path: "agents.entries.*.sandbox.mode", what: "the sandbox", accepted: noneOf("non-main", "all") },
  { path: "agents.defaults.sandbox.backend", what: "the sandbox" },
  { path: "agents.entries.*.sandbox.backend", what: "the sandbox" },
];

/** Reports the keys whose part has not arrived and takes them out of the tree, so that they are not unknown keys as well. */
export function refuseUnavailable(tree: Tree, findings: Findings): void {
  for (const entry of UNAVAILABLE) {
    for (const path of pathsLike(tree, entry.path.split("."))) {
      if (entry.accepted?.(valueAt(tree, path)) === true) continue;
      findings.fault(path, notAvailable(entry.what));
      removeAt(tree, path);
    }
  }
}
