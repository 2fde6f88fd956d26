import type { PacingBucket } from "../../src/channel/capabilities.ts";
import type { Route } from "../../src/core/route.ts";
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

/**
 * Which bucket a 429 holds. Telegram does not say whether a chat or the whole bot is meant: a chat's own limit is the usual
 * one and must not hold the others up (DL-4); a second chat refused while the first still waits means the bot (FC-092).
 */
export function createFloodWatch(clock: Clock): { bucketFor(chatId: string, afterMs: number): string } {
  const waiting = new Map<string, number>();
  return {
    bucketFor(chatId, afterMs) {
      const now = clock.now();
      for (const [chat, until] of waiting) if (until <= now) waiting.delete(chat);
      const others = waiting.size > (waiting.has(chatId) ? 1 : 0);
      waiting.set(chatId, now + afterMs);
      return others ? BOT_BUCKET : chatBucket(chatId);
    },
  };
}
