import { PERMISSIONS } from "./permissions.ts";
import type { BotRecord, ChannelRecord, GuildRecord } from "./records.ts";
import { CHANNEL } from "./wire-types.ts";
import type { World } from "./world.ts";

/** Whether somebody may look into a channel: a member who may view it; private threads: its members and moderators. */
export function maySee(world: World, channel: ChannelRecord, userId: string): boolean {
  if (channel.dm !== null) return channel.dm.botId === userId || channel.dm.user.id === userId;
  const guild = world.guildOf(channel);
  if (guild === null || guild.deleted || !guild.members.has(userId)) return false;
  const bits = world.permissions(channel, userId);
  if ((bits & PERMISSIONS.ViewChannel) === 0n) return false;
  if (channel.type !== CHANNEL.privateThread) return true;
  return channel.thread?.members.has(userId) === true || (bits & PERMISSIONS.ManageThreads) !== 0n;
}

/** The bots that hear what happens in a channel. */
export function botsSeeing(world: World, channel: ChannelRecord): BotRecord[] {
  return [...world.bots.values()].filter(
    (bot) => maySee(world, channel, bot.user.id) && world.guildOf(channel)?.unavailable !== true,
  );
}

/** The bots that are members of a guild. */
export function botsIn(world: World, guild: GuildRecord): BotRecord[] {
  return [...world.bots.values()].filter((bot) => guild.members.has(bot.user.id));
}
