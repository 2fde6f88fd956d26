import { TOOLS, type ToolFacts } from "./names.ts";
import { decideTools, type PolicyDecision, type PolicyFacts } from "./policy-layers.ts";
import { tools } from "./registry.ts";
import type { ToolDefinition } from "./tool.ts";

export interface EffectiveTools extends Pick<PolicyDecision, "removed" | "emptyBy"> {
  readonly tools: readonly ToolDefinition[];
}

/**
 * The tools a turn has (TP-2): offered to the model, and nothing else is carried out (TP-3). Cheap enough to be asked for
 * every waiting input.
 */
export type EffectiveToolsOf = (facts: PolicyFacts) => EffectiveTools;

/** `serverTools`: what the MCP servers offer at this moment (ST-42); the policy decides about them as about all others. */
export function createEffectiveTools(serverTools: () => readonly ToolDefinition[]): EffectiveToolsOf {
  return (facts) => {
    const extra = serverTools();
    const known = extra.length === 0 ? TOOLS : [...TOOLS, ...extra.map(factsOf)];
    const { names, removed, emptyBy } = decideTools(known, facts);
    const kept = new Set(names);
    return { tools: [...tools, ...extra].filter((tool) => kept.has(tool.name)), removed, emptyBy };
  };
}

function factsOf({ name, group }: ToolDefinition): ToolFacts {
  return { name, group, ownerOnly: false };
}
