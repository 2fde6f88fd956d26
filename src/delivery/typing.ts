import type { Route } from "../core/delivery/route.ts";
import type { Clock, Logger } from "../core/runtime.ts";
import type { Timers } from "../core/waiting.ts";
import { type DeliveryAccount, pacedConversation } from "./adapters.ts";
import type { Pacer } from "./pacing.ts";

export interface TypingOptions {
  readonly account: DeliveryAccount;
  readonly route: Route;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
  /** Nothing shows before this. Default 300 ms. */
  readonly delayMs?: number;
  /** Ends by itself after this, whatever its owner does. Default 15 minutes. */
  readonly limitMs?: number;
}

/** The typing indicator of one turn (TN-10). */
export interface Typing {
  /** Ends it; belongs into a `finally`. Calling it again is harmless. */
  stop(): void;
}

const DELAY_MS = 300;
const LIMIT_MS = 15 * 60_000;

/**
 * Shows that somebody is at work while a turn waits or runs, renewed as the platform needs it (TN-10). Its failures never
 * matter, and it yields to messages when tokens are scarce (DL-5). On a platform without typing it does nothing.
 */
export function startTyping(options: TypingOptions): Typing {
  const { account, route, pacer, clock, timers, log } = options;
  const { typing } = account.adapter.capabilities;
  if (typing === undefined) return { stop: () => undefined };
  const endsAt = clock.now() + (options.limitMs ?? LIMIT_MS);
  let shown = false;
  let underWay = false;
  let stopped = false;

  const ignore = (error: unknown): void =>
    log.debug({ err: error, channel: route.channel }, "typing could not be shown");
  const renew = (): void => {
    if (stopped) return;
    if (clock.now() >= endsAt) {
      stop();
      return;
    }
    if (!underWay && pacer.tryTake(pacedConversation(account, route), "typing")) {
      shown = true;
      underWay = true;
      const done = (): void => {
        underWay = false;
      };
      typing.start(route).catch(ignore).then(done, done);
    }
    cancel = timers.after(typing.renewMs, renew);
  };
  const stop = (): void => {
    if (stopped) return;
    stopped = true;
    cancel();
    if (shown) typing.stop?.(route).catch(ignore);
  };
  let cancel = timers.after(options.delayMs ?? DELAY_MS, renew);
  return { stop };
}
