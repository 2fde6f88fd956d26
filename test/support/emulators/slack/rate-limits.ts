import { factsOf, type MethodName } from "./method-names.ts";
import { rateLimited } from "./refusal.ts";

interface Level {
  tokens: number;
  at: number;
}

interface Bucket {
  perSecond: number;
  burst: number;
}

/** Posting: one message a second and channel, short bursts allowed (how short is not said: five here). */
const POSTING: Bucket = { perSecond: 1, burst: 5 };

/** Token buckets per app and method, and per channel for posting. A request that finds one empty spends nothing. */
export class RateLimiter {
  readonly #levels = new Map<string, Level>();

  /** Spends one request of a method's tier, or refuses with 429. `now` in milliseconds. */
  spendMethod(appId: string, method: MethodName, now: number): void {
    const { perMinute } = factsOf(method);
    if (perMinute !== null) this.#spend(`${appId} ${method}`, { perSecond: perMinute / 60, burst: perMinute }, now);
  }

  /** Spends one message in a channel, or refuses with 429. */
  spendMessage(appId: string, channel: string, now: number): void {
    this.#spend(`${appId} in ${channel}`, POSTING, now);
  }

  #spend(key: string, bucket: Bucket, now: number): void {
    const level = this.#levels.get(key) ?? { tokens: bucket.burst, at: now };
    const tokens = Math.min(bucket.burst, level.tokens + ((now - level.at) / 1000) * bucket.perSecond);
    if (tokens < 1) throw rateLimited(Math.max(1, Math.ceil((1 - tokens) / bucket.perSecond)));
    this.#levels.set(key, { tokens: tokens - 1, at: now });
  }
}
