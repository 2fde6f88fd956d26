import { Client, Events, GatewayIntentBits, Options, Partials, type REST, Status } from "discord.js";
import { type APIApplication, ApplicationFlags, Routes } from "discord-api-types/v10";
import type { AdapterHost } from "../../../src/channel/adapter.ts";
import type { Health } from "../../../src/channel/intake.ts";
import type { AccountSettings } from "../../../src/core/settings.ts";
import { accountTexts, discordAccountTexts } from "../../../src/core/texts/platforms/accounts.ts";
import type { DiscordConfig } from "../config.ts";
import { intentRefused, tokenRefused } from "../errors.ts";
import type { LoginLimit } from "./login-limit.ts";
import type { Shards } from "./shards.ts";

/** What a bot that talks in guilds and in direct messages needs, and nothing else (CH-1). */
export const INTENTS = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.MessageContent,
] as const;

/** A request whose answer has not come after this is given up; its fate is unknown (DL-3). */
const REQUEST_MS = 30_000;

/** The client of one connection. It waits for no limit and repeats nothing: all waiting is the outbox's (DL-4). */
export function openClient(config: DiscordConfig, shards: Shards, logins: LoginLimit): Client {
  return new Client({
    intents: [...INTENTS],
    // As many connections as Discord recommends (CH-1); a bot in very many guilds is refused with fewer.
    shards: "auto",
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
    ...shards.options,
    ws: { ...shards.options.ws, buildIdentifyThrottler: logins.build },
    rest: { api: config.apiUrl, rejectOnRateLimit: () => true, retries: 0, timeout: REQUEST_MS },
  });
}

interface PacketHandling {
  handlePacket(packet: unknown, shard: unknown): boolean;
}

/**
 * Keeps what the library throws while it reads an event inside: it reads with no check, inside a listener, so one odd field
 * (`embeds: {}`) would end the process (FC-405). The product reads the raw events itself; the library only loses a cache entry.
 * `handlePacket` is private to the library and has no public counterpart.
 */
export function containLibrary(client: Client, onError: (error: unknown) => void): void {
  const handling = client.ws as unknown as PacketHandling;
  const handle = handling.handlePacket.bind(client.ws);
  handling.handlePacket = (packet, shard) => {
    try {
      return handle(packet, shard);
    } catch (error) {
      onError(error);
      return true;
    }
  };
}

/**
 * Tells the account's health by the protocol (CH-5, CH-6): `ready` only when every shard is, `reconnecting` while the client
 * resumes or identifies again, and while a connection that looks open gives no sign of life.
 */
export function watchGateway(parts: {
  readonly client: Client;
  readonly shards: Shards;
  readonly logins: LoginLimit;
  readonly account: AccountSettings;
  readonly host: AdapterHost;
  readonly health: Health;
  readonly onIntentOff: () => void;
}): void {
  const { client, shards, logins, account, host, health } = parts;
  let dead = false;
  const silent = new Set<number>();

  function look(): void {
    if (dead || silent.size > 0) return;
    if (client.ws.shards.every((shard) => shard.status === Status.Ready)) health.connection("ready");
  }

  function lost(reason: string): void {
    if (!dead) health.connection("reconnecting", reason);
  }

  function fail(reason: string): void {
    dead = true;
    host.log.debug({ reason }, "the connection to Discord is over");
    health.connection("failed", reason);
  }

  logins.onHeld((reason) => lost(reason.message));
  client.on(Events.ShardReady, look);
  client.on(Events.ShardResume, look);
  client.on(Events.ShardReconnecting, () => lost(accountTexts.lost("Discord")));
  client.on(Events.ShardDisconnect, ({ code }) => {
    if (code === 4004) fail(tokenRefused(account).message);
    else if (code === 4014) {
      parts.onIntentOff();
      fail(intentRefused(account).message);
    } else fail(discordAccountTexts.closedForGood(code));
  });
  client.on(Events.ShardError, (error) => host.log.debug({ reason: error.message }, "a connection to Discord failed"));
  client.on(Events.Error, (error) => host.log.warn({ reason: error.message }, "the Discord client reported an error"));
  client.on(Events.Warn, (message) => host.log.debug({ message }, "the Discord client warned"));
  shards.watch(client, {
    onSilent(shardId) {
      silent.add(shardId);
      lost(accountTexts.silent("Discord"));
    },
    onLife(shardId) {
      silent.delete(shardId);
      look();
    },
    onTrouble: (error) => host.log.debug({ err: error }, "a shard could not be looked after"),
  });
}

const SWITCHED_ON = ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;

/**
 * Asks whether the switch of the portal that was found off is on by now. Every login counts towards the 1,000 a day after which
 * Discord resets the token, so an account that waits for its operator does not try by logging in. Rejects with a ChannelError
 * while it is off (CH-1, CH-6).
 */
export async function askForIntent(rest: REST, account: AccountSettings, signal: AbortSignal): Promise<void> {
  const application = (await rest.get(Routes.currentApplication(), { signal })) as APIApplication;
  if (((application.flags ?? 0) & SWITCHED_ON) === 0) throw intentRefused(account);
}
