import { type Client, Events, type REST, RESTEvents } from "discord.js";
import { Routes } from "discord-api-types/v10";
import type { AdapterHost } from "../../src/channel/adapter.ts";
import type { LimitMet, NativeCommand, ThreadAbility, ThreadRoot } from "../../src/channel/capabilities.ts";
import { createHealth } from "../../src/channel/intake.ts";
import type { LiveConnection } from "../../src/channel/single-connection.ts";
import { drained } from "../../src/channel/single-connection.ts";
import type { Route } from "../../src/core/delivery/delivery.ts";
import { ChannelError } from "../../src/core/errors.ts";
import type { AccountSettings } from "../../src/core/settings.ts";
import { accountTexts, STOPPED_EARLY } from "../../src/core/texts/platforms/accounts.ts";
import { pause, systemTimers } from "../../src/core/time.ts";
import { targetOf } from "./address.ts";
import { type KnownCommand, menuOf, putUpMenu } from "./calls/commands.ts";
import type { DiscordConfig } from "./config.ts";
import { BOT_BUCKET, connectError, readRefusal } from "./errors.ts";
import { askForIntent, containLibrary, openClient, watchGateway } from "./gateway/gateway.ts";
import { createLoginLimit, type LoginLimit, whenHeld } from "./gateway/login-limit.ts";
import type { Packet } from "./gateway/packets.ts";
import { type Receiving, receive } from "./gateway/receiving.ts";
import { createShards, type Shards } from "./gateway/shards.ts";
import { hearMissedDirect } from "./missed/missed-direct.ts";
import { readThreadRoot } from "./missed/thread-root.ts";
import { carryOut } from "./outbound/outbound.ts";
import type { OutboundParts } from "./outbound/send-once.ts";
import { allowedMentions } from "./outbound/send-once.ts";
import { canMakeThread } from "./outbound/threads.ts";

/** How long Discord may take to say where its gateway is, and then each shard to get ready, before all is tried again. */
const CONNECT_MS = 6_000;
const SHARD_MS = 60_000;
/** How long a stop waits for the platform to say goodbye. */
const GOODBYE_MS = 2_000;

/** One live connection of one bot: from its login to its end. A new start makes a new one (CH-6). */
export interface Connection extends LiveConnection {
  readonly rest: REST;
  showTyping(route: Route): Promise<void>;
  preview(shown: Preview, signal: AbortSignal): Promise<LimitMet | null>;
  register(commands: readonly NativeCommand[]): Promise<void>;
  canMakeThread(route: Route): Promise<ThreadAbility>;
  threadRoot(route: Route, signal: AbortSignal): Promise<ThreadRoot | null>;
  isDirect(channelId: string): boolean;
}

export interface Preview {
  readonly route: Route;
  readonly messageId: string;
  readonly text: string;
}

/**
 * Connects one account: logs in, learns who the bot is, then receives. Resolves when the gateway answered. Rejects with a
 * ChannelError (CH-6); a refused token or intent names the setting to change (CH-1).
 */
export async function connect(parts: {
  readonly account: AccountSettings;
  readonly config: DiscordConfig;
  readonly host: AdapterHost;
  /** Called off by `close`, or from outside while the connection is still being made. */
  readonly stopping: AbortController;
  /** The last connection ended because an intent is switched off in the portal. */
  readonly intentWasOff: boolean;
  readonly onIntentOff: () => void;
}): Promise<Connection> {
  const { account, config, host, stopping } = parts;
  const { signal } = stopping;
  const shards = createShards();
  const logins = createLoginLimit();
  const client = openClient(config, shards, logins);
  const health = createHealth(host);
  client.rest.on(RESTEvents.Response, (_request, response) => host.platformClock.heard(response.headers.get("date")));
  watchGateway({ client, shards, logins, account, host, health, onIntentOff: parts.onIntentOff });
  const commands = new Map<string, KnownCommand>();
  const inlet: { begun: Promise<Receiving> | null; live: Receiving | null } = { begun: null, live: null };
  const missed = hearMissedDirect({ host, token: config.token, signal });
  const noted = (error: unknown): void => host.log.error({ err: error }, "receiving from Discord could not begin");
  const unread = (error: unknown): void => host.log.warn({ err: error }, "an event of Discord could not be read");
  containLibrary(client, unread);
  const hear = (given: Packet, shardId: number): void => {
    if (signal.aborted) return;
    const packet = ownCopy(given);
    missed.note(packet, shardId);
    if (packet.t === "READY") {
      inlet.begun ??= begin(packet.d);
      inlet.begun
        .then((receiving) => {
          inlet.live = receiving;
          receiving.catchUp(shardId);
        }, noted)
        .catch(unread);
    } else if (inlet.live !== null) inlet.live.take(packet, shardId);
    else inlet.begun?.then((receiving) => receiving.take(packet, shardId), noted).catch(unread);
  };
  // Nothing that Discord sends may end the process: a listener that throws would (FC-405).
  client.on(Events.Raw, (given: Packet, shardId: number) => {
    try {
      hear(given, shardId);
    } catch (error) {
      unread(error);
    }
  });
  async function begin(ready: unknown): Promise<Receiving> {
    const receiving = await receive({ client, account, host, health, commands, signal, ready });
    await missed.begin({ take: receiving.takeMissed, stored: () => receiving.intake.idle() });
    return receiving;
  }
  async function end(): Promise<void> {
    stopping.abort();
    missed.end();
    const goodbye = client.destroy().catch((error: unknown) => {
      host.log.debug({ err: error }, "the Discord client did not end well");
    });
    await Promise.race([goodbye, pause(GOODBYE_MS, null, systemTimers)]);
    shards.end();
    const receiving = await inlet.begun?.catch(() => null);
    if (receiving) await drained(receiving.intake.idle(), host.log);
  }
  try {
    if (parts.intentWasOff) await askForIntent(client.rest.setToken(config.token), account, signal);
    await logIn({ client, shards, logins, token: config.token, signal });
    if (inlet.begun === null) throw new Error("Discord did not greet the bot");
    const receiving = inlet.begun;
    const { bot, follow } = await receiving;
    const outbound: OutboundParts = {
      rest: client.rest,
      botId: bot.id,
      log: host.log,
      clock: host.platformClock,
      readFile: (sha256) => host.files.get(sha256),
    };
    return {
      rest: client.rest,
      open: health.open,
      send: async (delivery, sending) => {
        const outcome = await carryOut(outbound, delivery, sending);
        const made = outcome.outcome === "sent" ? outcome.thread?.threadId : undefined;
        // Before the thread is known to the bridge: what people write in it from now on is never missed (IN-14).
        if (made != null) await follow(made);
        return outcome;
      },
      showTyping: (route) => showTyping(client.rest, route, host),
      preview: (shown, showing) => showPreview(client.rest, { shown, host }, showing),
      register: async (wanted) => {
        const menu = menuOf(wanted);
        commands.clear();
        for (const [name, known] of menu.known) commands.set(name, known);
        await putUpMenu({ rest: client.rest, applicationId: bot.applicationId, host, menu, signal });
      },
      canMakeThread: async (route) =>
        client.isReady()
          ? await canMakeThread(client, route)
          : { can: false, reason: accountTexts.notConnected("Discord") },
      async threadRoot({ threadId }, asking) {
        const { intake } = await receiving;
        return threadId === null ? null : await readThreadRoot({ rest: client.rest, intake }, threadId, asking);
      },
      isDirect: (channelId) => client.channels.cache.get(channelId)?.isDMBased() === true,
      close: end,
    };
  } catch (error) {
    await end();
    throw connectError(error, account);
  }
}

/** The client adds its own objects to what it was given; what is read later must be the platform's. */
function ownCopy(packet: Packet): Packet {
  return packet.t === "GUILD_CREATE" ? packet : structuredClone(packet);
}

async function logIn(parts: {
  readonly client: Client;
  readonly shards: Shards;
  readonly logins: LoginLimit;
  readonly token: string;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { client, shards, logins, token, signal } = parts;
  signal.throwIfAborted();
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(new ChannelError("discord_stopped", STOPPED_EARLY, { decision: "retry" }));
  signal.addEventListener("abort", stop, { once: true });
  const tooLate = (ms: number): void => reject(new Error(`no connection within ${ms / 1000} s`));
  const first = setTimeout(() => shards.isSpawned() || tooLate(CONNECT_MS), CONNECT_MS);
  // Shards log in one after the other, several seconds apart; each that got ready gives the next one its time.
  const all = setTimeout(() => tooLate(SHARD_MS), SHARD_MS);
  client.on(Events.ShardReady, () => all.refresh());
  givenUp.catch(() => undefined);
  try {
    await Promise.race([client.login(token), givenUp, whenHeld(logins, client)]);
  } finally {
    clearTimeout(first);
    clearTimeout(all);
    signal.removeEventListener("abort", stop);
  }
}

async function showTyping(rest: REST, route: Route, host: AdapterHost): Promise<void> {
  await rest.post(Routes.channelTyping(targetOf(route))).catch((error: unknown) => {
    host.log.debug({ reason: readRefusal(error).reason, channel: targetOf(route) }, "typing could not be shown");
  });
}

/** An edit between rows. Nothing depends on it (TN-11), so a refusal is only noted; a limit it met is told (DL-4). */
async function showPreview(
  rest: REST,
  { shown, host }: { readonly shown: Preview; readonly host: AdapterHost },
  signal: AbortSignal,
): Promise<LimitMet | null> {
  const channelId = targetOf(shown.route);
  const body = { content: shown.text, allowed_mentions: allowedMentions(shown.text) };
  try {
    await rest.patch(Routes.channelMessage(channelId, shown.messageId), { body, signal });
    return null;
  } catch (error) {
    const refusal = readRefusal(error);
    host.log.debug({ reason: refusal.reason, channel: channelId }, "a preview could not be shown");
    if (refusal.kind !== "rate_limited") return null;
    return { afterMs: refusal.afterMs, sharesLimitWith: refusal.global ? BOT_BUCKET : null };
  }
}
