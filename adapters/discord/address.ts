import { type APIUser, ChannelType } from "discord-api-types/v10";
import type { Route } from "../../src/core/delivery/delivery.ts";
import type { InboundSender, Peer, ThreadFacts } from "../../src/core/message/inbound-event.ts";

export const CHANNEL = "discord";

/** First millisecond of the platform's ids. */
const EPOCH_MS = 1_420_070_400_000;

/** The bot itself; everything an event is read against. */
export interface BotFacts {
  readonly id: string;
  readonly username: string;
  /** The webhook of its answers to interactions; the same as `id` for all but old bots. */
  readonly applicationId: string;
}

/** What is known of the channel an event names. A thread knows its parent, from the cache or from the platform (FC-146). */
export interface Place {
  readonly id: string;
  readonly kind: "direct" | "channel" | "thread";
  readonly name: string | null;
  readonly guildId: string | null;
  /** Threads: the channel they hang on; access and sessions go by it (SK-7, FC-127). */
  readonly parent: { readonly id: string; readonly name: string | null; readonly holdsMessages: boolean } | null;
  /** Direct messages: the other person. */
  readonly recipient: { readonly id: string; readonly name: string } | null;
  /** The role the platform made for this bot in the guild; naming it addresses the bot. */
  readonly botRoleId: string | null;
}

/** Whether a channel type can hold messages of its own, unlike a forum, whose posts do. */
export function holdsMessages(type: ChannelType | null): boolean {
  return type !== ChannelType.GuildForum && type !== ChannelType.GuildMedia && type !== ChannelType.GuildCategory;
}

/** Text that can be an id of the platform; anything else is another platform's (FC-173). */
export function isSnowflake(text: string): boolean {
  return /^[1-9]\d{0,19}$/.test(text);
}

/** When an id was made, in milliseconds. */
export function bornAt(id: string): number {
  return isSnowflake(id) ? Number(BigInt(id) >> 22n) + EPOCH_MS : 0;
}

/** The smallest id of a moment. */
export function idAt(ms: number): string {
  return String(BigInt(Math.max(1, Math.floor(ms) - EPOCH_MS)) << 22n);
}

/** Negative when `a` is the older id. */
export function compareIds(a: string, b: string): number {
  return a.length === b.length ? (a < b ? -1 : a > b ? 1 : 0) : a.length - b.length;
}

/** The channel that messages to a route are written into: a thread is one by itself. */
export function targetOf(route: Route): string {
  return route.threadId ?? route.to;
}

export function routeOf(place: Place, accountId: string): Route {
  if (place.kind === "thread" && place.parent !== null) {
    return { channel: CHANNEL, accountId, to: place.parent.id, threadId: place.id };
  }
  return { channel: CHANNEL, accountId, to: place.id, threadId: null };
}

/** Direct messages are known by the person, everything in a guild by the parent channel (SK-7). */
export function peerOf(place: Place): Peer {
  if (place.kind === "direct") {
    const { id, name } = place.recipient ?? { id: place.id, name: null };
    return { kind: "direct", id, label: name };
  }
  return { kind: "channel", id: place.parent?.id ?? place.id, label: place.parent?.name ?? place.name };
}

export function threadOf(place: Place): ThreadFacts {
  if (place.kind !== "thread") return { kind: "none" };
  const facts = { kind: "thread", id: place.id, label: place.name } as const;
  return place.parent?.holdsMessages === false ? { ...facts, parentHoldsNoMessages: true } : facts;
}

/** What a guild says of one of its people. */
export interface Membership {
  readonly nick?: string | null | undefined;
  readonly roles: readonly string[];
}

export function senderOf(
  author: Pick<APIUser, "id" | "username" | "global_name" | "bot">,
  facts: {
    readonly member: Membership | undefined;
    readonly bot: BotFacts;
    readonly webhookId?: string | undefined;
  },
): InboundSender {
  const { member, bot, webhookId } = facts;
  return {
    id: author.id,
    name: personName(author, member),
    username: author.username,
    isBot: author.bot === true || webhookId !== undefined,
    // Answers to interactions are written by a webhook that has the application's id (FC-164).
    isSelf: author.id === bot.id || webhookId === bot.applicationId,
    roleIds: member?.roles ?? [],
  };
}

export function personName(user: Pick<APIUser, "username" | "global_name">, member?: Pick<Membership, "nick">): string {
  return member?.nick ?? user.global_name ?? user.username;
}

/** A link people can open (`/why`). */
export function linkOf(place: Pick<Place, "id" | "guildId">, messageId: string): string {
  return `https://discord.com/channels/${place.guildId ?? "@me"}/${place.id}/${messageId}`;
}
