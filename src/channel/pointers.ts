import type { ChannelId } from "../core/ids.ts";
import type { ChannelDescriptor } from "./descriptor.ts";

/** One message of a platform, as a link or a written id names it (IN-17). */
export interface MessagePointer {
  /** The platform's own id of the message. */
  readonly messageId: string;
  /** The platform's id of the conversation or thread it stands in; null: the link does not say. */
  readonly to: string | null;
  /** When it was written, where the id itself says so; in milliseconds since the epoch. */
  readonly sentAt: number | null;
}

/** What a channel knows of links to its messages, and of messages that never come. */
export interface LinkReader {
  /** Reads a link people copy on the platform; null: it is none of its. */
  read(link: URL): MessagePointer | null;
  /** How such a link looks. */
  readonly example: string;
  /** Why the platform may never have handed a message over, each with what to look at. */
  readonly unseen: readonly string[];
}

export interface Pointed extends MessagePointer {
  readonly channel: ChannelId;
}

/** `telegram:-1001234/56`: any message of any channel, where there is no link. */
const WRITTEN = /^([a-z0-9][a-z0-9_-]*):([^/\s]+)\/(\S+)$/;

/** Reads what people paste to point at a message; null: neither a link of a known platform nor `<channel>:<conversation>/<id>`. */
export function readPointer(channels: readonly ChannelDescriptor[], written: string): Pointed | null {
  // Half a character would be no text that ids are compared as.
  const plain = written
    .toWellFormed()
    .trim()
    .replace(/^<(.*)>$/, "$1");
  const [, channel, to, messageId] = WRITTEN.exec(plain) ?? [];
  if (channel !== undefined && to !== undefined && messageId !== undefined) {
    return channels.some((one) => one.channel === channel) ? { channel, to, messageId, sentAt: null } : null;
  }
  if (!URL.canParse(plain)) return null;
  const link = new URL(plain);
  for (const descriptor of channels) {
    const pointer = descriptor.links?.read(link) ?? null;
    if (pointer !== null) return { channel: descriptor.channel, ...pointer };
  }
  return null;
}
