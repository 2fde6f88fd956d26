import type { AdapterHost } from "../../../src/channel/adapter.ts";
import type { Health } from "../../../src/channel/intake.ts";
import { createIntake } from "../../../src/channel/intake.ts";
import { type AcceptResult, identityKey } from "../../../src/core/message/inbound-event.ts";
import { ignoredEvent } from "../../../src/core/texts/rules.ts";
import { type BotFacts, CHANNEL, type Place } from "../address.ts";
import type { Directory } from "../gateway/directory.ts";
import type { DiscordFact, Reading } from "./fact.ts";

/** One event of the gateway or of the history. */
export interface DiscordIncoming {
  readonly channelId: string;
  /** The id of the message, thread or interaction. */
  readonly id: string;
  readonly raw: unknown;
  readonly read: (reading: Reading) => DiscordFact;
  /** Known from the event itself, because the channel may not be there any more. */
  readonly place?: Place;
}

/** What an event is for the shared intake. */
export interface DiscordIntake {
  /** Runs a job after everything of the same channel that came before it. Its failure is logged. */
  inOrder(channelId: string, job: () => Promise<void>): void;
  /**
   * Resolves when the event is stored, parked, or known to need neither; with null when it stores nothing. Rejects only when the
   * account was stopped before that.
   */
  take(incoming: DiscordIncoming): Promise<AcceptResult | null>;
  /** What an event of the channel is read against; null: the bot cannot see it. */
  reading(channelId: string): Promise<Reading | null>;
  /** Resolves when nothing is on its way any more. */
  idle(): Promise<void>;
}

export function createDiscordIntake(parts: {
  readonly host: AdapterHost;
  readonly bot: BotFacts;
  readonly directory: Pick<Directory, "place" | "nameOf">;
  readonly health: Pick<Health, "unstored">;
  readonly signal: AbortSignal;
}): DiscordIntake {
  const { host, bot, directory, health, signal } = parts;
  const intake = createIntake({ channel: CHANNEL, botId: bot.id, host, health, signal });

  async function reading(channelId: string, told?: Place): Promise<Reading | null> {
    const place = told ?? (await directory.place(channelId, signal));
    const { nameOf } = directory;
    return place === null ? null : { bot, accountId: host.accountId, place, nameOf, now: host.platformClock.now() };
  }

  async function read({ channelId, place, read }: DiscordIncoming): Promise<DiscordFact> {
    const against = await reading(channelId, place);
    return against === null ? { kind: "nothing", why: ignoredEvent.hiddenChannel } : read(against);
  }

  async function store(incoming: DiscordIncoming): Promise<AcceptResult | null> {
    const fact = await read(incoming);
    if (fact.kind === "event") {
      signal.throwIfAborted();
      return await host.accept(fact.event);
    }
    host.log.debug({ why: fact.why }, "event ignored");
    if (fact.event !== undefined) await host.accept(fact.event);
    return null;
  }

  async function identity(incoming: DiscordIncoming): Promise<string | null> {
    const fact = await read(incoming);
    return fact.kind === "event" ? identityKey(fact.event.identity) : null;
  }

  return {
    reading,
    idle: intake.idle,
    take: (incoming) =>
      intake.take({
        id: incoming.id,
        raw: incoming.raw,
        store: () => store(incoming),
        identity: () => identity(incoming),
      }),
    inOrder(channelId, job) {
      const work = intake.inOrder(channelId, async () => (signal.aborted ? undefined : await job()));
      work.catch((error: unknown) => {
        if (!signal.aborted) host.log.error({ err: error, channel: channelId }, "an event was not stored");
      });
    },
  };
}
