import { createHash } from "node:crypto";
import type { Route } from "../../src/core/delivery/delivery.ts";
import { type AccountId, encodeId } from "../../src/core/ids.ts";
import type { Peer } from "../../src/core/message/inbound-event.ts";

export const WEB = "web";
export const PREFIX = "/web";
/** The one person behind the page, and the id of their direct conversation (CH-4). */
export const OPERATOR = "operator";

/** What a client may choose as the id of a message or a thread. */
const CLIENT_ID = /^[A-Za-z0-9_-]{8,64}$/;
const SLUG_LENGTH = 40;

export type Place = Pick<Route, "to" | "threadId">;

export function isClientId(text: string): boolean {
  return CLIENT_ID.test(text);
}

export function routeTo(accountId: AccountId, { to, threadId }: Place): Route {
  return { channel: WEB, accountId, to, threadId };
}

/** The page of a conversation; its sub-resources lie below it. */
export function pathOf({ to, threadId }: Place): string {
  const channel = `${PREFIX}/c/${encodeId(to)}`;
  return threadId === null ? channel : `${channel}/t/${encodeId(threadId)}`;
}

export function peerOf(to: string, label: string): Peer {
  return to === OPERATOR ? { kind: "direct", id: OPERATOR, label: null } : { kind: "channel", id: to, label };
}

/** The id of a channel comes from its title, so that creating it twice gives one channel. */
export function channelIdFor(title: string): string {
  const slug = title
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, SLUG_LENGTH);
  if (slug !== "" && slug !== OPERATOR) return slug;
  return `channel-${createHash("sha256").update(title).digest("hex").slice(0, 8)}`;
}

/** A thread that continues a message carries the message's id, so that starting it twice gives one thread. */
export function threadIdOfMessage(messageId: number): string {
  return `m${messageId}`;
}

/** The message a thread was started from, or null when it was started by itself. */
export function originOfThread(threadId: string | null): number | null {
  const id = threadId?.match(/^m(\d{1,15})$/)?.[1];
  return id === undefined ? null : Number(id);
}

/** A thread that a delivery made carries that delivery's key, shortened; it can never look like one of a message. */
export function threadIdOfDelivery(key: string): string {
  return `d-${createHash("sha256").update(key).digest("hex").slice(0, 16)}`;
}

/* The log's keys: people's messages and deliveries can never collide. */

const PERSON = "person:";

export function personKey(clientId: string): string {
  return PERSON + clientId;
}

export function deliveryKey(key: string): string {
  return `delivery:${key}`;
}

/** The client's own id of a person's message, or null for an agent's. */
export function clientIdOf(key: string): string | null {
  return key.startsWith(PERSON) ? key.slice(PERSON.length) : null;
}

/** The id of a message's element on the page. */
export function elementId(message: { readonly id: number; readonly key: string }): string {
  const clientId = clientIdOf(message.key);
  return clientId === null ? `m-${message.id}` : `p-${clientId}`;
}
