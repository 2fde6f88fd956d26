import { TOOLS } from "./names.ts";
import { decideTools, type PolicyDecision, type PolicyFacts } from "./policy-layers.ts";
import { tools } from "./registry.ts";
import type { ToolDefinition } from "./tool.ts";

export interface EffectiveTools extends Pick<PolicyDecision, "removed" | "emptyBy"> {
  readonly tools: readonly ToolDefinition[];
}

/**
 * The tools a turn has (TP-2): offered to the model, and nothing else is carried out (TP-3). Pure and cheap enough to be
 * asked for every waiting input.
 */
export function effectiveTools(facts: PolicyFacts): EffectiveTools {
  const { names, removed, emptyBy } = decideTools(TOOLS, facts);
  return { tools: tools.filter((tool) => names.includes(tool.name)), removed, emptyBy };
}
