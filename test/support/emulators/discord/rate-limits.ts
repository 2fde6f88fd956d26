import { tooManyRequests } from "./refusal.ts";
import { type MatchedRoute, ROUTES } from "./route-table.ts";

export interface Bucket {
  /** Requests in one window. */
  limit: number;
  windowMs: number;
}

export interface RateLimits {
  /** All requests of one bot together. */
  global: Bucket;
  /** Requests of one bot to one route with the same channel, guild or webhook. */
  perRoute: Bucket;
}

/**
 * Rate Limits: 50 requests a second per bot. The limits of routes are not documented ("should not be hard coded");
 * five in five seconds is what the platform tells for messages.
 */
export const DOCUMENTED_LIMITS: RateLimits = {
  global: { limit: 50, windowMs: 1000 },
  perRoute: { limit: 5, windowMs: 5000 },
};

interface Window {
  used: number;
  until: number;
}

/** Fixed windows per bot and per route; the answer's headers say how much is left. Interactions have no limits. */
export class RateLimiter {
  readonly #limits: RateLimits;
  readonly #windows = new Map<string, Window>();

  constructor(limits: RateLimits) {
    this.#limits = limits;
  }

  #window(key: string, bucket: Bucket, now: number): Window {
    const known = this.#windows.get(key);
    if (known !== undefined && known.until > now) return known;
    const fresh = { used: 0, until: now + bucket.windowMs };
    this.#windows.set(key, fresh);
    return fresh;
  }

  /** Spends one request and gives the headers of its answer, or refuses with 429. `now` in milliseconds. */
  spend(route: MatchedRoute, botId: string | null, now: number): Record<string, string> {
    if (botId === null) return {};
    const { global, perRoute } = this.#limits;
    const all = this.#window(botId, global, now);
    if (all.used >= global.limit) throw tooManyRequests((all.until - now) / 1000, true);
    const major = route.path.channel_id ?? route.path.guild_id ?? "";
    const own = this.#window(`${botId}:${route.name}:${major}`, perRoute, now);
    if (own.used >= perRoute.limit) throw tooManyRequests((own.until - now) / 1000);
    all.used += 1;
    own.used += 1;
    return {
      "x-ratelimit-limit": String(perRoute.limit),
      "x-ratelimit-remaining": String(perRoute.limit - own.used),
      "x-ratelimit-reset": String(own.until / 1000),
      "x-ratelimit-reset-after": String((own.until - now) / 1000),
      // The same for every channel, as on the platform: the bucket names the route.
      "x-ratelimit-bucket": Buffer.from(ROUTES[route.name].join(" ")).toString("hex").slice(-32),
    };
  }
}
