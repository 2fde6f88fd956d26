import type { Findings } from "./findings.ts";
import { pathsLike, removeAt, type Tree, valueAt } from "./value-tree.ts";

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
      findings.fault(path, `not available yet: ${entry.what}`, "Remove it.");
      removeAt(tree, path);
    }
  }
}
