import type { Tree } from "../../../config/load/faults.ts";
import { ConfigError } from "../../../src/core/errors.ts";
import { type TestOptions, testConfig } from "../../support/test-settings.ts";

/** The faults of a configuration as people read them, in order; empty when it loads. */
export function faultLines(tree: Tree, options: TestOptions = {}): readonly string[] {
  return linesOf(() => testConfig(tree, options));
}

export function linesOf(load: () => unknown): readonly string[] {
  try {
    load();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split("\n");
  }
}

export function warningLines(tree: Tree, options: TestOptions = {}): readonly string[] {
  return testConfig(tree, options).warnings.map((warning) => `${warning.path}: ${warning.problem}. ${warning.remedy}`);
}
