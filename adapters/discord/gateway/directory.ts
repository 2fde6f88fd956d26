import type { Client, REST } from "discord.js";
import { type APIChannel, ChannelType, PermissionFlagsBits, Routes } from "discord-api-types/v10";
import { AskAgain } from "../../../src/channel/intake.ts";
import { holdsMessages, type Membership, type Place, personName } from "../address.ts";
import { readRefusal } from "../errors.ts";
import type { NameOf } from "../inbound/fact.ts";

/** How many channels the platform was asked about are kept. */
const MOST_KEPT = 1_000;

interface Facts {
  readonly id: string;
  readonly type: ChannelType;
  readonly name: string | null;
  readonly guildId: string | null;
  readonly parentId: string | null;
  readonly recipient: Place["recipient"];
}

export interface Directory {
  /**
   * What is known of a channel: from what the gateway has told, else from the platform (FC-146). `null`: the bot cannot see it.
   * Rejects with {@link AskAgain} when the platform does not answer.
   */
  place(channelId: string, signal: AbortSignal): Promise<Place | null>;
  /** A person's membership in a guild, which the history leaves out; null: none, or not available. */
  member(guildId: string, userId: string): Promise<Membership | null>;
  /** What a channel or role is called: people and agents read names, and only the platform reads ids (FC-210). */
  readonly nameOf: NameOf;
  /** All channels and threads of a guild that people write in, as places. */
  placesOf(guildId: string): readonly Place[];
  /** False only when the gateway has told that the bot may not read the channel's history. */
  isReadable(channelId: string): boolean;
  forget(channelId: string): void;
}

const THREADS: readonly ChannelType[] = [
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
  ChannelType.AnnouncementThread,
];

/** Looks channels up in the client's cache, which the gateway keeps true, and asks the platform for what is not in it. */
export function createDirectory(client: Client, rest: REST): Directory {
  const asked = new Map<string, Facts>();

  function cached(id: string): Facts | null {
    const channel = client.channels.cache.get(id);
    if (channel === undefined || channel.partial) return asked.get(id) ?? null;
    if (channel.isDMBased()) return asked.get(id) ?? null;
    const { type, name, guildId, parentId } = channel;
    return { id, type, name, guildId, parentId, recipient: null };
  }

  async function ask(id: string, signal: AbortSignal): Promise<Facts | null> {
    try {
      const facts = factsOf((await rest.get(Routes.channel(id), { signal })) as APIChannel);
      asked.set(id, facts);
      const oldest = asked.keys().next();
      if (asked.size > MOST_KEPT && oldest.done !== true) asked.delete(oldest.value);
      return facts;
    } catch (error) {
      const refusal = readRefusal(error);
      if (refusal.kind === "place_gone") return null;
      throw new AskAgain(
        `Discord did not say what a channel is: ${refusal.reason}`,
        refusal.kind === "rate_limited" ? refusal.afterMs : null,
      );
    }
  }

  async function facts(id: string, signal: AbortSignal): Promise<Facts | null> {
    return cached(id) ?? (await ask(id, signal));
  }

  function placeFrom(found: Facts, parent: Facts | null): Place {
    const { id, type, name, guildId, parentId, recipient } = found;
    const isThread = THREADS.includes(type);
    const guild = guildId === null ? undefined : client.guilds.cache.get(guildId);
    const role = client.user === null ? undefined : guild?.roles.botRoleFor(client.user.id);
    return {
      id,
      kind: type === ChannelType.DM ? "direct" : isThread ? "thread" : "channel",
      name,
      guildId,
      parent:
        !isThread || parentId === null
          ? null
          : { id: parentId, name: parent?.name ?? null, holdsMessages: holdsMessages(parent?.type ?? null) },
      recipient,
      botRoleId: role?.id ?? null,
    };
  }

  return {
    async place(channelId, signal) {
      const found = await facts(channelId, signal);
      if (found === null) return null;
      const needsParent = THREADS.includes(found.type) && found.parentId !== null;
      return placeFrom(found, needsParent ? await facts(found.parentId, signal) : null);
    },
    nameOf(kind, id) {
      if (kind === "channel") return cached(id)?.name ?? null;
      return client.guilds.cache.find((guild) => guild.roles.cache.has(id))?.roles.cache.get(id)?.name ?? null;
    },
    async member(guildId, userId) {
      const guild = client.guilds.cache.get(guildId);
      const member = await guild?.members.fetch(userId).catch(() => null);
      return member === undefined || member === null
        ? null
        : { nick: member.nickname, roles: [...member.roles.cache.keys()].filter((id) => id !== guildId) };
    },
    placesOf(guildId) {
      const channels = client.guilds.cache.get(guildId)?.channels.cache;
      return [...(channels?.keys() ?? [])].flatMap((id) => {
        const found = cached(id);
        return found === null || THREADS.includes(found.type) ? [] : [placeFrom(found, null)];
      });
    },
    isReadable(channelId) {
      const channel = client.channels.cache.get(channelId);
      if (channel === undefined || channel.isDMBased() || client.user === null) return true;
      const may = channel.permissionsFor(client.user);
      return may === null || may.has([PermissionFlagsBits.ViewChannel, PermissionFlagsBits.ReadMessageHistory]);
    },
    forget: (channelId) => void asked.delete(channelId),
  };
}

function factsOf(channel: APIChannel): Facts {
  const [person] = "recipients" in channel ? (channel.recipients ?? []) : [];
  return {
    id: channel.id,
    type: channel.type,
    name: channel.name ?? null,
    guildId: ("guild_id" in channel ? channel.guild_id : null) ?? null,
    parentId: ("parent_id" in channel ? channel.parent_id : null) ?? null,
    recipient: person === undefined ? null : { id: person.id, name: personName(person) },
  };
}
