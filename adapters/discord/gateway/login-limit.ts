import { type Client, type ClientOptions, SimpleIdentifyThrottler } from "discord.js";
import { ChannelError } from "../../../src/core/errors.ts";
import { discordAccountTexts } from "../../../src/core/texts/platforms/accounts.ts";
import { pause } from "../../../src/core/time.ts";

type Build = NonNullable<NonNullable<ClientOptions["ws"]>["buildIdentifyThrottler"]>;
type Manager = Parameters<Build>[0];
type Limit = Awaited<ReturnType<Manager["fetchGatewayInformation"]>>["session_start_limit"];

/**
 * Discord counts logins (identifies) and resets the token of a bot that uses up its 1,000 a day. So many are left over for the
 * operator's own restarts: with fewer, no connection logs in until Discord resets the count (CH-1). Resuming is not counted.
 */
const LEFT_OVER = 20;
/** What Discord said is believed for so long. */
const FRESH_MS = 4_000;
/** So short because an account must be back within 10 s after the cause ends (CH-5). */
const LOOK_AGAIN_MS = 8_000;

/** Holds back logins while few are left. */
export interface LoginLimit {
  /** Goes into the client's options. */
  readonly build: Build;
  /** Told each time a login is held back; `retryAfterMs`: when it is looked at again. */
  onHeld(told: (reason: ChannelError) => void): void;
}

export function createLoginLimit(): LoginLimit {
  const listeners = new Set<(reason: ChannelError) => void>();
  return {
    build: async (manager) => {
      const first = await manager.fetchGatewayInformation();
      const paced = new SimpleIdentifyThrottler(first.session_start_limit.max_concurrency);
      let known: { readonly limit: Limit; readonly at: number } = { limit: first.session_start_limit, at: Date.now() };
      return {
        async waitForIdentify(shardId, signal) {
          for (;;) {
            if (Date.now() - known.at > FRESH_MS) known = { limit: await ask(manager), at: Date.now() };
            const { limit } = known;
            if (limit.remaining > LEFT_OVER) break;
            const wait = Math.min(Math.max(limit.reset_after, FRESH_MS), LOOK_AGAIN_MS);
            for (const tell of listeners) tell(held(limit, wait));
            await pause(wait, signal);
            signal.throwIfAborted();
          }
          await paced.waitForIdentify(shardId, signal);
        },
      };
    },
    onHeld: (told) => void listeners.add(told),
  };
}

/** The library keeps its first answer for a day. */
async function ask(manager: Manager): Promise<Limit> {
  return (await manager.fetchGatewayInformation(true)).session_start_limit;
}

function held({ total, remaining, reset_after: resetMs }: Limit, retryAfterMs: number): ChannelError {
  const at = new Date(Date.now() + resetMs).toISOString().slice(0, 16).replace("T", " ");
  const message = discordAccountTexts.loginsUsedUp(remaining, total, at);
  return new ChannelError("discord_logins_used_up", message, { decision: "retry", retryAfterMs });
}

/** Rejects when the first login is held back, so that the account waits without a connection. */
export function whenHeld(limit: LoginLimit, client: Client): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  limit.onHeld((reason) => client.isReady() || reject(reason));
  promise.catch(() => undefined);
  return promise;
}
