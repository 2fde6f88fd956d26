import type { TokenUsage } from "../message/transcript.ts";

/** Spending is counted in slots so short that a day of every time zone begins with one. */
export const SPENDING_SLOT_MS = 15 * 60_000;

/** What an agent used of one model. */
export interface Spending {
  /** `provider/model`. */
  readonly model: string;
  readonly input: number;
  readonly output: number;
  /** Of the input, what the provider read from its cache and what it wrote there. */
  readonly cached: number;
  readonly cacheWrite: number;
}

/** Per million tokens; what is not set costs as much as `input`. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
}

/** Limits of an agent's day (TN-19); 0: none. `cost` in the currency of the configured prices. */
export interface DailyLimits {
  readonly tokens: number;
  readonly cost: number;
}

/** What tokens cost; cached ones at their own price where it is set (FC-315). */
export function costOfTokens(
  { input, output, cached, cacheWrite = 0 }: Pick<TokenUsage, "input" | "output" | "cached" | "cacheWrite">,
  price: ModelPrice,
): number {
  const fresh = Math.max(0, input - cached - cacheWrite);
  const cachedCost = cached * (price.cachedInput ?? price.input) + cacheWrite * (price.cacheWrite ?? price.input);
  return (fresh * price.input + cachedCost + output * price.output) / 1_000_000;
}

/** The limit that is reached, as the configuration names it; null: none. A model without a price costs nothing. */
export function reachedLimit(
  limits: DailyLimits,
  spent: readonly Spending[],
  priceOf: (model: string) => ModelPrice | null,
): string | null {
  const tokens = spent.reduce((sum, { input, output }) => sum + input + output, 0);
  if (limits.tokens > 0 && tokens >= limits.tokens) return `limits.daily.tokens is ${limits.tokens}`;
  const cost = spent.reduce((sum, used) => {
    const price = priceOf(used.model);
    return price === null ? sum : sum + costOfTokens(used, price);
  }, 0);
  return limits.cost > 0 && cost >= limits.cost ? `limits.daily.cost is ${limits.cost}` : null;
}
