import { botsSeeing } from "./audience.ts";
import { tell } from "./gateway/events.ts";
import type { GatewaySession } from "./gateway/session.ts";
import { linkEmbeds } from "./links.ts";
import { messageEvent, type Seer } from "./message-view.ts";
import type { ChannelRecord, StoredMessage } from "./records.ts";
import { type APIMessage, type APIUser, FLAG, INTENT } from "./wire-types.ts";
import type { World } from "./world.ts";

export interface Post {
  author: APIUser;
  /** Everything but what the platform fills in. */
  content: Partial<APIMessage>;
  /** Default: a new one. */
  id?: string;
  replyTo?: StoredMessage | null;
  onlyFor?: string | null;
  interactionId?: string | null;
  nonce?: string | number | null;
}

const NO_FLAGS = 0 as NonNullable<APIMessage["flags"]>;

function seerOf(session: GatewaySession): Seer {
  return { bot: session.bot, content: (session.intents & INTENT.messageContent) !== 0 };
}

function tellMessage(
  world: World,
  channel: ChannelRecord,
  t: "MESSAGE_CREATE" | "MESSAGE_UPDATE",
  stored: StoredMessage,
): void {
  // Ephemeral messages live between the person and the interaction; the gateway never carries them.
  if (stored.onlyFor !== null) return;
  tell(botsSeeing(world, channel), {
    t,
    intents: channel.dm === null ? INTENT.guildMessages : INTENT.directMessages,
    guildId: channel.guildId,
    data: (session) => messageEvent(world, channel, stored, seerOf(session)),
  });
}

/** Puts a message into a channel and tells the bots that may see it. Returns what was stored. */
export function post(world: World, channel: ChannelRecord, given: Post): StoredMessage {
  const id = given.id ?? world.nextId();
  const message: APIMessage = {
    id,
    channel_id: channel.id,
    author: given.author,
    content: "",
    timestamp: world.now(),
    edited_timestamp: null,
    tts: false,
    mention_everyone: false,
    mentions: [],
    mention_roles: [],
    attachments: [],
    embeds: [],
    components: [],
    pinned: false,
    type: 0,
    flags: NO_FLAGS,
    ...given.content,
    ...(given.nonce === undefined || given.nonce === null ? {} : { nonce: given.nonce }),
  };
  const stored: StoredMessage = {
    seq: world.nextSeq(),
    at: world.clock(),
    message,
    authorId: given.author.id,
    deleted: false,
    earlier: [],
    reactions: new Map(),
    onlyFor: given.onlyFor ?? null,
    interactionId: given.interactionId ?? null,
  };
  channel.messages.set(id, stored);
  if (channel.thread !== null) channel.thread.totalMessages += 1;
  tellMessage(world, channel, "MESSAGE_CREATE", stored);
  resolveLinks(world, channel, stored);
  world.signals.changed();
  return stored;
}

/** Replaces a message by its new form; `quiet`: without the mark of an edit, as the platform's own changes. */
export function change(
  world: World,
  channel: ChannelRecord,
  stored: StoredMessage,
  after: Partial<APIMessage>,
  quiet = false,
): void {
  stored.earlier.push(stored.message);
  stored.message = {
    ...stored.message,
    ...after,
    ...(quiet ? {} : { edited_timestamp: world.now() }),
  };
  tellMessage(world, channel, "MESSAGE_UPDATE", stored);
  if (!quiet) resolveLinks(world, channel, stored);
  world.signals.changed();
}

/** A link's embed comes by itself a moment after the message, as a second event about it (FC-134). */
function resolveLinks(world: World, channel: ChannelRecord, stored: StoredMessage): void {
  const embeds = linkEmbeds(stored.message.content);
  if (embeds.length === 0 || stored.message.embeds.length > 0) return;
  if (((stored.message.flags ?? 0) & FLAG.suppressEmbeds) !== 0) return;
  const { content } = stored.message;
  world.later(world.linkEmbedMs, () => {
    if (stored.deleted || stored.message.content !== content || stored.message.embeds.length > 0) return;
    change(world, channel, stored, { embeds }, true);
  });
}

/** Removes a message from sight. */
export function remove(world: World, channel: ChannelRecord, stored: StoredMessage): void {
  stored.deleted = true;
  if (stored.onlyFor === null) {
    const guild = channel.guildId === null ? {} : { guild_id: channel.guildId };
    tell(botsSeeing(world, channel), {
      t: "MESSAGE_DELETE",
      intents: channel.dm === null ? INTENT.guildMessages : INTENT.directMessages,
      guildId: channel.guildId,
      data: () => ({ id: stored.message.id, channel_id: channel.id, ...guild }),
    });
  }
  world.signals.changed();
}

/** What people see now, oldest first; ephemeral messages only for the person they were made for. */
export function visibleMessages(channel: ChannelRecord, viewerId: string | null = null): StoredMessage[] {
  return [...channel.messages.values()].filter(
    (stored) => !stored.deleted && (stored.onlyFor === null || stored.onlyFor === viewerId),
  );
}
