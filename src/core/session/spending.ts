/** Spending is counted in slots so short that a day of every time zone begins with one. */
export const SPENDING_SLOT_MS = 15 * 60_000;

/** What an agent used of one model. */
export interface Spending {
  /** `provider/model`. */
  readonly model: string;
  readonly input: number;
  readonly output: number;
}

/** Limits of an agent's day (TN-19); 0: none. `cost` in the currency of the configured prices. */
export interface DailyLimits {
  readonly tokens: number;
  readonly cost: number;
}

type Price = { readonly input: number; readonly output: number } | null;

/** The limit that is reached, as the configuration names it; null: none. A model without a price costs nothing. */
export function reachedLimit(
  limits: DailyLimits,
  spent: readonly Spending[],
  priceOf: (model: string) => Price,
): string | null {
  const tokens = spent.reduce((sum, { input, output }) => sum + input + output, 0);
  if (limits.tokens > 0 && tokens >= limits.tokens) return `limits.daily.tokens is ${limits.tokens}`;
  const cost = spent.reduce((sum, { model, input, output }) => {
    const price = priceOf(model);
    return price === null ? sum : sum + (input * price.input + output * price.output) / 1_000_000;
  }, 0);
  return limits.cost > 0 && cost >= limits.cost ? `limits.daily.cost is ${limits.cost}` : null;
}
