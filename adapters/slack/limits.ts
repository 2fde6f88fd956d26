import type { PacingBucket } from "../../src/channel/capabilities.ts";
import type { Route } from "../../src/core/delivery/route.ts";

/** Threads share the limit of their channel, so the bucket is the channel's and not the route's. */
export function channelBucket(channel: string): string {
  return `channel:${channel}`;
}

/** DL-5: one message a second per channel, with bursts of 5. */
export function bucketsOf(route: Route): readonly PacingBucket[] {
  return [{ name: channelBucket(route.to), intervalMs: 1000, burst: 5 }];
}
