import { tmpdir } from "node:os";
import { channels } from "../../adapters/index.ts";
import type { Tree } from "../../config/load/faults.ts";
import { defaultAgents } from "../../config/load/load.ts";
import { type ConfigCatalog, type ParsedConfig, parseConfig } from "../../config/load/parse.ts";
import type { Settings } from "../../src/core/settings.ts";

/** The tools of TP-1, for the warning about unknown names. */
const TOOL_NAMES: readonly string[] = [
  "session_status",
  "sessions_list",
  "sessions_history",
  "sessions_search",
  "sessions_send",
  "message",
  "sessions_spawn",
  "sessions_yield",
  "subagents",
  "agents_list",
];

export const testCatalog: ConfigCatalog = { channels, toolNames: TOOL_NAMES };

/**
 * Settings of a configuration written as in `switchyard.json5`, through the real loader; what it leaves out has its default
 * (agent `main`, model `demo/switchyard`, web page on). Throws a ConfigError like the product.
 */
export function testSettings(overrides: Tree = {}, options: TestOptions = {}): Settings {
  return testConfig(overrides, options).settings;
}

export interface TestOptions {
  /** What relative paths start from; default the system's folder for temporary files. */
  readonly baseDir?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The same with the warnings. */
export function testConfig(overrides: Tree, options: TestOptions = {}): ParsedConfig {
  return parseConfig({
    tree: overrides,
    baseDir: options.baseDir ?? tmpdir(),
    env: options.env ?? {},
    catalog: testCatalog,
    defaults: { agents: defaultAgents(), model: "demo/switchyard", providers: { demo: { type: "demo" } } },
  });
}
