import type { Settings } from "../core/settings.ts";

/** The window of `limits.perSender.perMinute`. */
export const RATE_WINDOW_MS = 60_000;
export const RATE_LIMIT_RULE = "limits.perSender.perMinute";

export type RateVerdict =
  | { readonly within: true }
  /** `tell`: the first refusal of the window; the person gets one line and the operator sees it. */
  | { readonly within: false; readonly rule: string; readonly tell: boolean };

/** TN-19: counts come from the stored events of the last minute. A limit of 0 is none. */
export function rateVerdict(
  limits: Pick<Settings["limits"], "perSenderPerMinute">,
  counted: { readonly started: number; readonly refused: number },
): RateVerdict {
  const limit = limits.perSenderPerMinute;
  if (limit <= 0 || counted.started < limit) return { within: true };
  return { within: false, rule: `${RATE_LIMIT_RULE} is ${limit}`, tell: counted.refused === 0 };
}
