import { z } from "zod";
import type { ModelRef } from "../../src/core/model.ts";
import { modelFacts, modelRefText } from "../../src/core/models.ts";
import type { AgentSettings, ModelSettings, Settings } from "../../src/core/settings.ts";
import { unpricedModels } from "../../src/core/texts/config/sections.ts";
import type { Findings } from "../load/findings.ts";
import { count } from "./values.ts";

export const limitsSchema = z.strictObject({
  /** 0: no limit. Commands that start model work count as messages; `commandsPerMinute` bounds the others. */
  perSender: z.strictObject({ perMinute: count.optional(), commandsPerMinute: count.optional() }).optional(),
  daily: z.strictObject({ tokens: count.optional(), cost: z.number().nonnegative().optional() }).optional(),
});
export type LimitsSection = z.infer<typeof limitsSchema>;

const MESSAGES_PER_MINUTE = 20;
const COMMANDS_PER_MINUTE = 20;

/**
 * Spending limits (TN-19). A cost limit counts only models with a price; those the configuration names without one are a
 * warning, because the limit would silently not hold for them.
 */
export function normaliseLimits(
  section: LimitsSection | undefined,
  used: { readonly agents: ReadonlyMap<string, AgentSettings>; readonly models: ModelSettings },
  findings: Findings,
): Settings["limits"] {
  const daily = { tokens: section?.daily?.tokens ?? 0, cost: section?.daily?.cost ?? 0 };
  if (daily.cost > 0) warnUnpriced(used, findings);
  const perSenderPerMinute = section?.perSender?.perMinute ?? MESSAGES_PER_MINUTE;
  // Whoever takes the limit off has taken it off for commands too.
  const perSenderCommandsPerMinute =
    section?.perSender?.commandsPerMinute ?? (perSenderPerMinute === 0 ? 0 : COMMANDS_PER_MINUTE);
  return { perSenderPerMinute, perSenderCommandsPerMinute, daily };
}

function warnUnpriced(
  { agents, models }: { readonly agents: ReadonlyMap<string, AgentSettings>; readonly models: ModelSettings },
  findings: Findings,
): void {
  const own = [...agents.values()].flatMap(({ model, fallbacks, subagents }) => [
    model,
    ...fallbacks,
    ...(subagents.model === null ? [] : [subagents.model]),
  ]);
  const unpriced = [...own, ...models.aliases.values()].filter((ref) => isUnpriced(ref, models)).map(modelRefText);
  const [first, ...more] = new Set(unpriced);
  if (first === undefined) return;
  findings.warn(["limits", "daily", "cost"], unpricedModels([first, ...more]));
}

/** The demo provider asks nobody and costs nothing. */
function isUnpriced(ref: ModelRef, models: ModelSettings): boolean {
  return models.providers.get(ref.provider)?.type !== "demo" && modelFacts(models, ref).price === null;
}
