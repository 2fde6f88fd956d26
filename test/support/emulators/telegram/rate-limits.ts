import type { ChatRecord } from "./records.ts";
import { tooManyRequests } from "./refusal.ts";

export interface Bucket {
  /** Requests a second, on average. */
  perSecond: number;
  /** Requests at once after a rest. */
  burst: number;
}

export interface RateLimits {
  perBot: Bucket;
  perChat: Bucket;
  perGroup: Bucket;
}

/** Bots FAQ, "How can I message all of my bot's subscribers at once": 30/s in all, 1/s per chat, 20/min per group. */
export const DOCUMENTED_LIMITS: RateLimits = {
  perBot: { perSecond: 30, burst: 30 },
  perChat: { perSecond: 1, burst: 5 },
  perGroup: { perSecond: 20 / 60, burst: 20 },
};

interface Level {
  tokens: number;
  at: number;
}

/** Token buckets per bot, chat and group. A request that finds one empty is refused with 429 and spends nothing. */
export class RateLimiter {
  readonly #limits: RateLimits;
  readonly #levels = new Map<string, Level>();

  constructor(limits: RateLimits) {
    this.#limits = limits;
  }

  /** Spends for `count` messages, or refuses. `now` in milliseconds. */
  spend(botId: number, chat: ChatRecord, count: number, now: number): void {
    const group = chat.kind === "private" ? [] : [{ key: `g${botId}:${chat.chat.id}`, bucket: this.#limits.perGroup }];
    const buckets = [
      { key: `b${botId}`, bucket: this.#limits.perBot },
      { key: `c${botId}:${chat.chat.id}`, bucket: this.#limits.perChat },
      ...group,
    ];
    let wait = 0;
    const levels = buckets.map(({ key, bucket }) => {
      const level = this.#levels.get(key) ?? { tokens: bucket.burst, at: now };
      const tokens = Math.min(bucket.burst, level.tokens + ((now - level.at) / 1000) * bucket.perSecond);
      if (tokens < count) wait = Math.max(wait, (count - tokens) / bucket.perSecond);
      return { key, tokens };
    });
    if (wait > 0) throw tooManyRequests(Math.max(1, Math.ceil(wait)));
    for (const { key, tokens } of levels) this.#levels.set(key, { tokens: tokens - count, at: now });
  }
}
