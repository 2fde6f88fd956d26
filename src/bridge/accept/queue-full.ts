import type { NewDelivery } from "../../core/delivery/delivery.ts";
import { conversationKey, type Route } from "../../core/delivery/route.ts";
import type { QueueSettings } from "../../core/message/turn-inputs.ts";
import type { Arrival } from "./arrival.ts";

/** One notice per conversation in this time (TN-16). */
const NOTICE_WINDOW_MS = 15_000;

/** What people are told when a message is dropped because too many wait (TN-3, FC-119). */
export function queueFullNotice({ deps, now }: Arrival, route: Route, { cap, drop }: QueueSettings): NewDelivery {
  const which = drop === "new" ? "the newest was" : "the oldest was";
  const text = `More than ${cap} messages wait for me, so ${which} left out. Please send it again when I have answered.`;
  const { channel, accountId } = route;
  return {
    key: `queue-full:${conversationKey(route)}:${Math.floor(now / NOTICE_WINDOW_MS)}`,
    route,
    content: {
      kind: "message",
      piece: deps.renderNotice({ channel, accountId }, text),
      replyTo: null,
      private: false,
    },
  };
}
