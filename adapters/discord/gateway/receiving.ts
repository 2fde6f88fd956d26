import type { Client } from "discord.js";
import type { ChannelType } from "discord-api-types/v10";
import pLimit from "p-limit";
import type { AdapterHost } from "../../../src/channel/adapter.ts";
import type { Health } from "../../../src/channel/intake.ts";
import type { AccountSettings, PlaceSettings } from "../../../src/core/settings.ts";
import { type BotFacts, compareIds, holdsMessages, isSnowflake } from "../address.ts";
import type { KnownCommand } from "../calls/commands.ts";
import { handleInteraction } from "../calls/interactions.ts";
import type { DiscordMessage } from "../inbound/content.ts";
import { createDiscordIntake, type DiscordIntake } from "../inbound/intake.ts";
import { catchUp } from "../missed/catch-up.ts";
import { openHorizon } from "../missed/horizon.ts";
import { openSeen } from "../missed/seen.ts";
import { createDirectory } from "./directory.ts";
import { createPackets, type Packet } from "./packets.ts";

/** How many conversations are caught up with at a time. */
const AT_ONCE = 4;
/** Of those so many that are new to the bot: Discord takes 50 requests a second, and answers must not wait for these. */
const NEW_AT_ONCE = 2;
/** In so many conversations of a guild that are new to the bot it is looked for what was missed. */
const MOST_NEW = 200;

/** The receiving end of one connection, from its first greeting. */
export interface Receiving {
  readonly bot: BotFacts;
  readonly intake: DiscordIntake;
  /** A thread the bot has made. */
  follow(threadId: string): Promise<void>;
  take(packet: Packet, shardId: number): void;
  /** A message of the time before this session, in the order of its conversation. */
  takeMissed(message: DiscordMessage): void;
  /** After a fresh session nothing is replayed: what was missed is read from the history (FC-079). */
  catchUp(shardId: number): void;
}

/** Makes what the gateway's events go to. `ready`: the first greeting, which says who the bot is. */
export async function receive(parts: {
  readonly client: Client;
  readonly account: AccountSettings;
  readonly host: AdapterHost;
  readonly health: Health;
  readonly commands: ReadonlyMap<string, KnownCommand>;
  readonly signal: AbortSignal;
  readonly ready: unknown;
}): Promise<Receiving> {
  const { client, account, host, health, commands, signal } = parts;
  const { rest } = client;
  const { user, application } = parts.ready as {
    readonly user: { readonly id: string; readonly username: string };
    readonly application: { readonly id: string };
  };
  const bot = { id: user.id, username: user.username, applicationId: application.id };
  const directory = createDirectory(client, rest);
  const [seen, horizon] = await Promise.all([openSeen(host, bot.id), openHorizon(host, bot.id)]);
  const intake = createDiscordIntake({ host, bot, directory, health, signal });
  const packets = createPackets({
    intake,
    directory,
    seen,
    horizon,
    onGuild: lookForNew,
    onInteraction: (data) =>
      void handleInteraction(data, { rest, intake, host, log: host.log, commands: () => commands }),
  });
  const turns = pLimit(AT_ONCE);
  const newTurns = pLimit(NEW_AT_ONCE);
  const { newestIn, takeMessage: take } = packets;
  const catching = { rest, seen, directory, newestIn, log: host.log, signal, take };

  /** IN-14: conversations the bot has not taken part in yet; their first message may be for it. */
  function lookForNew(guild: Readonly<Record<string, unknown>>): void {
    const guildId = String(guild.id);
    const after = horizon.after(guildId, Date.parse(String(guild.joined_at)) || 0);
    const followed = new Set(seen.conversations());
    const found = unseenPlaces(guild, after, account).filter(({ id }) => !followed.has(id));
    if (found.length > MOST_NEW) {
      const fields = { guild: guildId, channels: found.length, read: MOST_NEW };
      host.log.warn(
        fields,
        "more conversations are new than are looked into; what was missed in the others stays unread",
      );
    }
    for (const { id, newest } of found.slice(0, MOST_NEW)) {
      const done = horizon.hold(guildId, after);
      intake.inOrder(id, async () => {
        const read = (): Promise<void> => catchUp(id, { ...catching, from: async () => after });
        if (directory.isReadable(id)) await newTurns(() => turns(read));
        done(newest);
      });
    }
  }

  return {
    bot,
    intake,
    // A thread on a message has its id, and every message in it a later one.
    follow: (threadId) => seen.follow(threadId, threadId),
    take: packets.take,
    takeMissed: (message) => intake.inOrder(message.channel_id, () => take(message)),
    catchUp(shardId) {
      packets.greeted(shardId);
      for (const id of seen.conversations()) {
        intake.inOrder(id, () => turns(() => catchUp(id, { ...catching, from: () => seen.upTo(id) })));
      }
    },
  };
}

/** A channel or thread that may have messages the bot has not seen. */
export interface UnseenPlace {
  readonly id: string;
  readonly newest: string;
}

type Data = Readonly<Record<string, unknown>>;

/**
 * The channels and active threads of a guild, as the gateway greets with them, in which something newer than `after` was said and
 * the account could be addressed by its access rules; the newest first. What holds for a person or a message, the door decides.
 */
export function unseenPlaces(guild: Data, after: string, account: AccountSettings): readonly UnseenPlace[] {
  const guildId = String(guild.id);
  const found: UnseenPlace[] = [];
  for (const thread of list(guild.threads)) consider(thread, thread.id, [thread.id, thread.parent_id]);
  for (const channel of list(guild.channels)) {
    if (holdsMessages(channel.type as ChannelType)) consider(channel, null, [channel.id]);
  }
  return found.toSorted((a, b) => compareIds(b.newest, a.newest));

  /** `first`: a forum's post begins with a message that has its id. */
  function consider({ id, last_message_id: last }: Data, first: unknown, ids: readonly unknown[]): void {
    const newest = isId(last) ? last : first;
    if (!isId(id) || !isId(newest) || compareIds(newest, after) <= 0) return;
    if (mayBeAddressed(account, guildId, ids.filter(isId))) found.push({ id, newest });
  }
}

/** IN-6, for a place: whether anyone may address the account there. `ids`: the place and what it falls back to. */
export function mayBeAddressed(account: AccountSettings, guildId: string, ids: readonly string[]): boolean {
  if (account.groupPolicy === "disabled") return false;
  if (account.places.size === 0) return account.groupPolicy === "open";
  const guild = entryOf(account.places, [guildId]);
  if (guild?.enabled !== true) return false;
  return guild.places.size === 0 || entryOf(guild.places, ids)?.enabled === true;
}

function entryOf(places: ReadonlyMap<string, PlaceSettings>, ids: readonly string[]): PlaceSettings | undefined {
  const listed = ids.find((id) => places.has(id)) ?? "*";
  return places.get(listed);
}

function list(value: unknown): readonly Data[] {
  return Array.isArray(value) ? (value as readonly Data[]) : [];
}

function isId(value: unknown): value is string {
  return typeof value === "string" && isSnowflake(value);
}
