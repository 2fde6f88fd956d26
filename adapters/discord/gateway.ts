import { Client, Events, GatewayIntentBits, Options, Partials, Status } from "discord.js";
import type { AdapterHost } from "../../src/channel/adapter.ts";
import type { AccountSettings } from "../../src/core/settings.ts";
import type { DiscordConfig } from "./config.ts";
import { intentRefused, tokenRefused } from "./errors.ts";
import type { Health } from "./health.ts";

/** What a bot that talks in guilds and in direct messages needs, and nothing else (CH-1). */
export const INTENTS = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.MessageContent,
] as const;

/** A request whose answer has not come after this is given up; its fate is unknown (DL-3). */
const REQUEST_MS = 30_000;
const LOOK_MS = 5_000;
/** Discord asks for a heartbeat every 41 s; one that was not answered by then is missing. */
const SILENCE_MS = 60_000;

/** The client of one connection. It waits for no limit and repeats nothing: all waiting is the outbox's (DL-4). */
export function openClient(config: DiscordConfig): Client {
  return new Client({
    intents: [...INTENTS],
    // Direct messages come from channels the client has never seen (FC-188).
    partials: [Partials.Channel],
    // Messages are read as they come and never looked up; keeping them would only cost memory.
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      MessageManager: 0,
      ReactionManager: 0,
      PresenceManager: 0,
      GuildMemberManager: { maxSize: 200, keepOverLimit: (member) => member.id === member.client.user.id },
    }),
    rest: { api: config.apiUrl, rejectOnRateLimit: () => true, retries: 0, timeout: REQUEST_MS },
  });
}

/**
 * Tells the account's health by the protocol (CH-5, CH-6): `ready` only when every shard is, `reconnecting` while the client
 * resumes or identifies again, and while heartbeats stay unanswered on a connection that looks open. Returns how to stop.
 */
export function watchGateway(parts: {
  readonly client: Client;
  readonly account: AccountSettings;
  readonly host: AdapterHost;
  readonly health: Health;
}): () => void {
  const { client, account, host, health } = parts;
  let dead = false;
  const readySince = new Map<number, number>();

  function connected(shardId: number): void {
    readySince.set(shardId, Date.now());
    if (!dead && client.ws.shards.every((shard) => shard.status === Status.Ready)) health.connection("ready");
  }

  function fail(reason: string): void {
    dead = true;
    host.log.error({ reason }, "the connection to Discord is over");
    health.connection("failed", reason);
  }

  client.on(Events.ShardReady, connected);
  client.on(Events.ShardResume, connected);
  client.on(Events.ShardReconnecting, (shardId) => {
    readySince.delete(shardId);
    if (!dead) health.connection("reconnecting", "the connection to Discord broke; it is made again");
  });
  client.on(Events.ShardDisconnect, ({ code }) => {
    if (code === 4004) fail(tokenRefused(account).message);
    else if (code === 4014) fail(intentRefused(account).message);
    else fail(`Discord closed the connection for good (code ${code})`);
  });
  client.on(Events.ShardError, (error) => host.log.debug({ reason: error.message }, "a connection to Discord failed"));
  client.on(Events.Error, (error) => host.log.warn({ reason: error.message }, "the Discord client reported an error"));
  client.on(Events.Warn, (message) => host.log.debug({ message }, "the Discord client warned"));

  const looking = setInterval(() => {
    for (const [id, since] of readySince) {
      const heard = Math.max(since, client.ws.shards.get(id)?.lastPingTimestamp ?? 0);
      if (dead || client.ws.shards.get(id)?.status !== Status.Ready) continue;
      if (Date.now() - heard > SILENCE_MS) health.connection("reconnecting", "Discord has not answered a heartbeat");
      else if (client.ws.shards.every((shard) => shard.status === Status.Ready)) health.connection("ready");
    }
  }, LOOK_MS);
  return () => clearInterval(looking);
}
