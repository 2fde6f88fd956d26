import type { AdapterHost } from "../../../src/channel/adapter.ts";
import { backoffMs, pause } from "../../../src/channel/backoff.ts";
import { StoreError } from "../../../src/core/errors.ts";
import type { AcceptResult } from "../../../src/core/message/inbound-event.ts";
import { identityKey } from "../../../src/core/message/inbound-event.ts";
import { type BotFacts, CHANNEL, type Place } from "../address.ts";
import { AskedInVain, type Directory } from "../gateway/directory.ts";
import type { Health } from "../health.ts";
import type { DiscordFact, Reading } from "./inbound.ts";

/** A poison event is tried so often, then parked (IN-3). */
const TRIES = 3;
const BETWEEN_TRIES_MS = 100;

/** One event of the platform on its way in. */
export interface Incoming {
  readonly channelId: string;
  /** What names it when it cannot even be read: the message's, thread's or interaction's own id. */
  readonly id: string;
  readonly raw: unknown;
  readonly read: (reading: Reading) => DiscordFact;
  /** Known from the event itself, because the channel may not be there any more. */
  readonly place?: Place;
}

export interface IntakeParts {
  readonly host: AdapterHost;
  readonly bot: BotFacts;
  readonly directory: Pick<Directory, "place">;
  readonly health: Pick<Health, "storing">;
  readonly signal: AbortSignal;
}

export interface Intake {
  /** Runs a job behind everything of the same channel that came before it. */
  inOrder(channelId: string, job: () => Promise<void>): void;
  /**
   * Resolves when the event is stored, parked, or known to need neither; with null when it starts nothing. While the store or
   * the platform is away it waits. Rejects only when called off.
   */
  take(incoming: Incoming): Promise<AcceptResult | null>;
  /** What an event of the channel is read against; null: the bot cannot see it. */
  reading(channelId: string): Promise<Reading | null>;
  /** Resolves when nothing is on its way any more. */
  idle(): Promise<void>;
}

export function createIntake({ host, bot, directory, health, signal }: IntakeParts): Intake {
  const lanes = new Map<string, Promise<void>>();

  async function attempt(incoming: Incoming): Promise<AcceptResult | null> {
    const place = incoming.place ?? (await directory.place(incoming.channelId, signal));
    if (place === null) return nothing("the bot cannot see the channel");
    const fact = incoming.read({ bot, accountId: host.accountId, place, now: host.clock.now() });
    if (fact.kind === "nothing") return nothing(fact.why);
    signal.throwIfAborted();
    const result = await host.accept(fact.event);
    health.storing(null);
    return result;
  }

  function nothing(why: string): null {
    host.log.debug({ why }, "an event starts nothing");
    return null;
  }

  /** The identity an event would have; of one that cannot even be read, its own id. */
  async function identityFor(incoming: Incoming): Promise<string> {
    try {
      const place = incoming.place ?? (await directory.place(incoming.channelId, signal));
      const fact =
        place === null ? null : incoming.read({ bot, accountId: host.accountId, place, now: host.clock.now() });
      if (fact?.kind === "event") return identityKey(fact.event.identity);
    } catch (error) {
      host.log.debug({ err: error, id: incoming.id }, "an event cannot be read");
    }
    return [CHANNEL, bot.id, "event", incoming.id].map(encodeURIComponent).join("/");
  }

  async function take(incoming: Incoming): Promise<AcceptResult | null> {
    let failures = 0;
    for (let waits = 1; ; waits += 1) {
      signal.throwIfAborted();
      try {
        return await attempt(incoming);
      } catch (error) {
        signal.throwIfAborted();
        const reason = error instanceof Error ? error.message : String(error);
        if (error instanceof StoreError && error.retryable) {
          // Nothing is wrong with the event: it waits, and is never parked.
          health.storing("messages cannot be stored at the moment");
          await pause(backoffMs(waits), signal);
          continue;
        }
        if (error instanceof AskedInVain) {
          await pause(awayFor(error, waits), signal);
          continue;
        }
        failures += 1;
        host.log.warn({ err: error, id: incoming.id, failures }, "an event could not be taken in");
        if (failures === TRIES) {
          const identity = await identityFor(incoming);
          await host.park({ identity, error: reason, raw: JSON.stringify(incoming.raw) });
          return null;
        }
        await pause(BETWEEN_TRIES_MS, signal);
      }
    }
  }

  return {
    take,
    async reading(channelId) {
      const place = await directory.place(channelId, signal);
      return place === null ? null : { bot, accountId: host.accountId, place, now: host.clock.now() };
    },
    inOrder(channelId, job) {
      const before = lanes.get(channelId) ?? Promise.resolve();
      const mine = before
        .then(() => (signal.aborted ? undefined : job()))
        .catch((error: unknown) => {
          if (!signal.aborted) host.log.error({ err: error, channel: channelId }, "an event was not taken in");
        })
        .finally(() => {
          if (lanes.get(channelId) === mine) lanes.delete(channelId);
        });
      lanes.set(channelId, mine);
    },
    async idle() {
      await Promise.all(lanes.values());
    },
  };
}

/** How long to wait when the platform was asked for a channel and did not answer. */
function awayFor({ refusal }: AskedInVain, waits: number): number {
  return refusal.kind === "rate_limited" ? refusal.afterMs : backoffMs(waits);
}
