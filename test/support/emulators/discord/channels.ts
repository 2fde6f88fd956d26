import { botsSeeing } from "./audience.ts";
import { tell } from "./gateway/events.ts";
import type { ChannelRecord } from "./records.ts";
import { channelShape } from "./shapes.ts";
import { INTENT } from "./wire-types.ts";
import type { World } from "./world.ts";

/** Tells the bots that see a channel (not a thread) of its birth or change. */
export function tellChannel(world: World, channel: ChannelRecord, t: "CHANNEL_CREATE" | "CHANNEL_UPDATE"): void {
  tell(botsSeeing(world, channel), {
    t,
    intents: INTENT.guilds,
    guildId: channel.guildId,
    data: (session) => channelShape(channel, session.bot),
  });
  world.signals.changed();
}

/** Deletes a channel with its threads, or one thread. Of the threads of a deleted channel no event tells. */
export function deleteChannel(world: World, channel: ChannelRecord): void {
  const bots = botsSeeing(world, channel);
  const { thread } = channel;
  tell(bots, {
    t: thread === null ? "CHANNEL_DELETE" : "THREAD_DELETE",
    intents: INTENT.guilds,
    guildId: channel.guildId,
    data: (session) =>
      thread === null
        ? channelShape(channel, session.bot)
        : { id: channel.id, guild_id: channel.guildId, parent_id: channel.parentId, type: channel.type },
  });
  channel.deleted = true;
  for (const other of world.channels.values()) {
    if (other.thread !== null && other.parentId === channel.id) other.deleted = true;
  }
  world.signals.changed();
}
