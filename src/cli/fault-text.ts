import type { ConfigFault } from "../core/errors.ts";

/** Faults or warnings of a configuration, one a line: where, what, how to mend it (OP-2). */
export function faultLines(faults: readonly ConfigFault[], prefix = ""): string {
  return faults.map((fault) => `${prefix}${fault.path}: ${fault.problem}. ${fault.remedy}`).join("\n");
}
