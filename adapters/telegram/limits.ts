import type { PacingBucket } from "../../src/channel/capabilities.ts";
import type { Route } from "../../src/core/delivery/route.ts";
import type { Clock } from "../../src/core/runtime.ts";
import { isPrivateChat } from "./address.ts";

/** All messages of the bot together. */
export const BOT_BUCKET = "bot";

/** Topics of a forum share the limit of their chat, so the bucket is the chat's and not the route's. */
export function chatBucket(chatId: string): string {
  return `chat:${chatId}`;
}

/** DL-5: 30 a second per bot, one a second per chat with bursts of 5, 20 a minute per group with bursts of 10. */
export function bucketsOf(route: Route): readonly PacingBucket[] {
  const bot = { name: BOT_BUCKET, intervalMs: 1000 / 30, burst: 30 };
  const chat = { name: chatBucket(route.to), intervalMs: 1000, burst: 5 };
  if (isPrivateChat(route.to)) return [bot, chat];
  return [bot, chat, { name: `group:${route.to}`, intervalMs: 3000, burst: 10 }];
}

/** What a chat takes of its own, with some room: so many tries within so long may have met the chat's own limit. */
const OWN_LIMITS = { private: { tries: 3, withinMs: 5_000 }, group: { tries: 10, withinMs: 60_000 } } as const;

export interface FloodWatch {
  /** A request for a chat's message is on its way. */
  tried(chatId: string): void;
  bucketFor(chatId: string, afterMs: number): string;
}

/**
 * Which bucket a 429 holds. Telegram does not say whether a chat or the whole bot is meant: a chat's own limit is the usual
 * one and must not hold the others up (DL-4, DL-17); a second chat refused while the first still waits means the bot
 * (FC-092), unless it was written to so often that it may have met a limit of its own: two busy groups are no busy bot.
 */
export function createFloodWatch(clock: Clock): FloodWatch {
  const waiting = new Map<string, number>();
  /** The newest tries of each chat, oldest first; as many as are asked for. */
  const tries = new Map<string, readonly number[]>();

  function mayBeItsOwn(chatId: string, now: number): boolean {
    const own = isPrivateChat(chatId) ? OWN_LIMITS.private : OWN_LIMITS.group;
    const at = tries.get(chatId)?.at(-own.tries);
    return at !== undefined && at > now - own.withinMs;
  }

  function forget(now: number): void {
    for (const [chat, times] of tries) {
      if ((times.at(-1) ?? 0) > now - OWN_LIMITS.group.withinMs) return;
      tries.delete(chat);
    }
  }

  return {
    tried(chatId) {
      const now = clock.now();
      const newest = [...(tries.get(chatId) ?? []), now].slice(-OWN_LIMITS.group.tries);
      // Last in the map is who was written to last, so that the forgotten stand first.
      tries.delete(chatId);
      tries.set(chatId, newest);
      forget(now);
    },
    bucketFor(chatId, afterMs) {
      const now = clock.now();
      for (const [chat, until] of waiting) if (until <= now) waiting.delete(chat);
      const others = waiting.size > (waiting.has(chatId) ? 1 : 0);
      waiting.set(chatId, now + afterMs);
      return others && !mayBeItsOwn(chatId, now) ? BOT_BUCKET : chatBucket(chatId);
    },
  };
}
