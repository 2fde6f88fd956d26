import { z } from "zod";
import { Bot } from "./accounts.ts";
import { Channel, Thread } from "./channel-places.ts";
import { Conversation, type Speaker } from "./conversation.ts";
import type { DiscordEmulator } from "./emulator.ts";
import { Guild } from "./guild.ts";
import type { ChannelRecord } from "./records.ts";

/** Direct messages are named by their two people, any other place by its channel or thread and who acts there. */
export const placeArgs = z.union([
  z.object({ bot: z.string(), user: z.string() }),
  z.object({ channel: z.string(), user: z.string().optional() }),
]);
export type PlaceArgs = z.infer<typeof placeArgs>;

/** Things by the ids a command names; each throws when there is none. */
export function speaker(dc: DiscordEmulator, id: string): Speaker {
  const user = dc.world.users.get(id);
  if (user === undefined) throw new Error(`there is no user ${id}`);
  return { user };
}

export function botOf(dc: DiscordEmulator, id: string): Bot {
  const record = dc.world.botById(id);
  if (record === undefined) throw new Error(`there is no bot ${id}`);
  return new Bot(record);
}

export function guildOf(dc: DiscordEmulator, id: string): Guild {
  const record = dc.world.guilds.get(id);
  if (record === undefined) throw new Error(`there is no guild ${id}`);
  return new Guild(dc.world, record, speaker(dc, record.ownerId));
}

function record(dc: DiscordEmulator, id: string): ChannelRecord {
  const channel = dc.world.channels.get(id);
  if (channel === undefined) throw new Error(`there is no channel ${id}`);
  return channel;
}

function ownerOf(dc: DiscordEmulator, channel: ChannelRecord): Speaker {
  const guild = dc.world.guildOf(channel);
  if (guild === null) throw new Error("say who acts");
  return speaker(dc, guild.ownerId);
}

export function channelOf(dc: DiscordEmulator, id: string): Channel {
  const channel = record(dc, id);
  return new Channel(dc.world, channel, ownerOf(dc, channel));
}

export function threadOf(dc: DiscordEmulator, id: string): Thread {
  const channel = record(dc, id);
  return new Thread(dc.world, channel, ownerOf(dc, channel));
}

/** The place a command names, with whoever acts in it (the guild's owner when nobody is named). */
export function conversation(dc: DiscordEmulator, place: PlaceArgs): Conversation {
  if ("bot" in place) {
    const person = speaker(dc, place.user);
    return new Conversation(dc.world, dc.world.dmChannel(person.user, botOf(dc, place.bot).record), person);
  }
  const channel = record(dc, place.channel);
  const acting = place.user === undefined ? ownerOf(dc, channel) : speaker(dc, place.user);
  return new Conversation(dc.world, channel, acting);
}
