import type { Route } from "../core/delivery/route.ts";
import type { AccountId, ChannelId } from "../core/ids.ts";
import type { ChannelDescriptor, MessagePointer } from "./descriptor.ts";

export interface Pointed extends MessagePointer {
  readonly channel: ChannelId;
  /** The account that took or sent it; null: any. */
  readonly accountId: AccountId | null;
  /** The thread of `to`; undefined: any, and `to` may be a thread itself. */
  readonly threadId: string | undefined;
}

/**
 * `telegram:-1001234/56`: any message of any channel, where there is no link. Two conversations may have a thread of the same id, and
 * two accounts a message in their chats with the same person: `telegram:-1001234/7/56` and `telegram/second:111/56` are exact.
 */
const WRITTEN = /^([a-z0-9][a-z0-9_-]*)(?:\/([^/:\s]+))?:([^/\s]+)\/(?:([^/\s]+)\/)?([^/\s]+)$/;

/** The exact form of `WRITTEN` (IN-17). `accountId` null: whichever account it was. */
export function writtenPointer(
  { channel, accountId, to, threadId }: Omit<Route, "accountId"> & { readonly accountId: AccountId | null },
  messageId: string,
): string {
  const account = accountId === null ? "" : `/${accountId}`;
  return `${channel}${account}:${to}/${threadId === null ? "" : `${threadId}/`}${messageId}`;
}

/** Reads what people paste to point at a message; null: neither a link of a known platform nor `<channel>:<conversation>/<id>`. */
export function readPointer(channels: readonly ChannelDescriptor[], written: string): Pointed | null {
  // Half a character would be no text that ids are compared as.
  const plain = written
    .toWellFormed()
    .trim()
    .replace(/^<(.*)>$/, "$1");
  const [, channel, accountId = null, to, threadId, messageId] = WRITTEN.exec(plain) ?? [];
  if (channel !== undefined && to !== undefined && messageId !== undefined) {
    if (!channels.some((one) => one.channel === channel)) return null;
    return { channel, accountId, to, threadId, messageId, sentAt: null };
  }
  if (!URL.canParse(plain)) return null;
  const link = new URL(plain);
  for (const descriptor of channels) {
    const pointer = descriptor.links?.read(link) ?? null;
    if (pointer !== null) {
      return { channel: descriptor.channel, accountId: null, threadId: undefined, ...pointer };
    }
  }
  return null;
}
