import type { PacingBucket } from "../../src/channel/capabilities.ts";
import { BOT_BUCKET } from "./errors.ts";

/**
 * What a message takes from (DL-5): the 50 requests a second of the whole bot, with room left for answers to interactions.
 * The limit of a conversation is told by the headers of each answer, which the client keeps to.
 */
export function bucketsOf(): readonly PacingBucket[] {
  return [{ name: BOT_BUCKET, intervalMs: 1000 / 40, burst: 40 }];
}
