import { maySee } from "../audience.ts";
import { PERMISSIONS, type PermissionName } from "../permissions.ts";
import type { ChannelRecord, GuildRecord, StoredMessage } from "../records.ts";
import {
  badRequest,
  forbidden,
  invalidForm,
  missingAccess,
  missingPermissions,
  notFound,
  unknownChannel,
  unknownMessage,
} from "../refusal.ts";
import { isSnowflake } from "../snowflakes.ts";
import { reopenByWriting } from "../threads.ts";
import { CHANNEL } from "../wire-types.ts";
import type { BotContext } from "./handler.ts";

/** An id of the path. Refuses with 50035 what is none. */
export function idIn(context: Pick<BotContext, "path">, name: string): string {
  const id = context.path[name] ?? "";
  if (isSnowflake(id)) return id;
  throw invalidForm({ path: [name], code: "NUMBER_TYPE_COERCE", message: `Value "${id}" is not snowflake.` });
}

/** The guild a bot names, if it is a member: else unknown. */
export function guildFor(context: BotContext): GuildRecord {
  const guild = context.world.guilds.get(idIn(context, "guild_id"));
  if (guild === undefined || guild.deleted) throw notFound(10004, "Unknown Guild");
  if (!guild.members.has(context.bot.user.id)) throw missingAccess();
  return guild;
}

/** The channel a bot names, if it may look into it: unknown (10003), no access (50001). */
export function channelFor(context: BotContext, id = idIn(context, "channel_id")): ChannelRecord {
  const channel = context.world.channels.get(id);
  if (channel === undefined || channel.deleted) throw unknownChannel();
  if (!maySee(context.world, channel, context.bot.user.id)) throw missingAccess();
  return channel;
}

/** A message of the channel that is there for this bot. */
export function messageFor(context: BotContext, channel: ChannelRecord): StoredMessage {
  const stored = channel.messages.get(idIn(context, "message_id"));
  if (stored === undefined || stored.deleted || stored.onlyFor !== null) throw unknownMessage();
  return stored;
}

export function may(context: BotContext, channel: ChannelRecord, name: PermissionName): boolean {
  return (context.world.permissions(channel, context.bot.user.id) & PERMISSIONS[name]) !== 0n;
}

/** Refuses with 50013 unless the bot has the permission here. */
export function needs(context: BotContext, channel: ChannelRecord, ...names: PermissionName[]): void {
  if (!names.every((name) => may(context, channel, name))) throw missingPermissions();
}

/** Refuses with 50083 what cannot be done in an archived thread. */
export function needsActive(channel: ChannelRecord): void {
  if (channel.thread?.archived === true) throw badRequest(50083, "Thread is archived");
}

function isReachable(context: BotContext, channel: ChannelRecord): boolean {
  const { dm } = channel;
  if (dm === null) return true;
  if (dm.blocked || dm.user.bot === true) return false;
  if (dm.openedByUser) return true;
  const shared = [...context.world.guilds.values()].some(
    (guild) => !guild.deleted && guild.members.has(dm.user.id) && guild.members.has(dm.botId),
  );
  return shared;
}

/**
 * Refuses what would keep the bot from writing here: a person who cannot be reached (50007), a channel without
 * messages (50008), a missing permission (50013), a locked (160005) or locked and archived thread (50083). Writing
 * into a thread that is merely archived opens it again.
 */
export function checkMayWrite(context: BotContext, channel: ChannelRecord): void {
  if (!isReachable(context, channel)) throw forbidden(50007, "Cannot send messages to this user");
  const wordless: readonly number[] = [CHANNEL.category, CHANNEL.forum, CHANNEL.media];
  if (wordless.includes(channel.type)) throw badRequest(50008, "Cannot send messages in a non-text channel");
  needs(context, channel, channel.thread === null ? "SendMessages" : "SendMessagesInThreads");
  if (channel.thread?.locked === true) {
    if (channel.thread.archived) throw badRequest(50083, "Thread is archived");
    if (!may(context, channel, "ManageThreads")) throw badRequest(160005, "Thread is locked");
  }
  reopenByWriting(context.world, channel);
}
