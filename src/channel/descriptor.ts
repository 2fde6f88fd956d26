import type { z } from "zod";
import type { Route } from "../core/delivery/delivery.ts";
import type { AccountId, ChannelId } from "../core/ids.ts";
import type { AccountSettings } from "../core/settings.ts";
import { doctorTexts, type FindingText } from "../core/texts/platforms/doctor.ts";
import type { ChannelAdapter } from "./adapter.ts";
import type { NativeCommand } from "./capabilities.ts";
import type { Guarantee } from "./guarantee.ts";
import { CLOCK_TOLERANCE_MS } from "./platform-clock.ts";

/** One message of a platform, as a link or a written id names it (IN-17). */
export interface MessagePointer {
  /** The platform's own id of the message. */
  readonly messageId: string;
  /** The platform's id of its conversation or thread; null: the link does not say. */
  readonly to: string | null;
  /** When it was written, where the id itself says so; in milliseconds since the epoch. */
  readonly sentAt: number | null;
  /** The link names its chat by public name only: the start of every stored link to that chat. */
  readonly publicChat?: string;
}

/** What a channel knows of links to its messages, and of messages that never come. */
export interface LinkReader {
  /** Reads a link that people copy on the platform; null: it is not such a link. */
  read(link: URL): MessagePointer | null;
  /** An example of such a link. */
  readonly example: string;
  /** Why the platform may never have handed a message over, each with what to look at. */
  readonly unseen: readonly string[];
}

/**
 * The keys of a channel's access map (IN-6): `groups` with `topics` on Telegram, `guilds` with `channels` on Discord,
 * `channels` without a second level on Slack. `senders` is the key that lists people inside an entry.
 */
export interface PlaceKeys {
  readonly map: string;
  readonly nested: string | null;
  /** The map is of servers, the nested one of their conversations. */
  readonly inServers: boolean;
  readonly senders: "allowFrom" | "users";
  readonly roles: boolean;
}

/**
 * Everything the configuration and the composition root need to know of a channel before any of its code is loaded.
 * `adapters/index.ts` is the only list of these.
 */
export interface ChannelDescriptor {
  readonly channel: ChannelId;
  /** Loads what people read of a message when something breaks (DL-15). Only the docs and the tests ask for it. */
  guarantee(): Promise<Guarantee>;
  /** The adapter's own keys inside `channels.<channel>`, beside those every channel has. */
  readonly ownShape: z.ZodRawShape;
  /** Parses one account's own keys, merged with what it inherits; its output becomes `AccountSettings.own`. */
  readonly ownSchema: z.ZodType;
  /**
   * `policies`: the access keys decide about people and places (IN-5, IN-6). `operator`: anyone who can open it is the
   * operator, so it has no access keys and no second account.
   */
  readonly access: "policies" | "operator";
  /** On without being named in the configuration. */
  readonly enabledByDefault: boolean;
  readonly places: PlaceKeys | null;
  readonly replyToMode: AccountSettings["replyToMode"];
  /**
   * The platform's own form of a reaction as people write it in `ackReaction`, or null when it has no such one; `example` is for
   * the remedy of a fault. null: no reactions are put there.
   */
  readonly reactions: { read(text: string): string | null; readonly example: string } | null;
  /** The key that identifies the bot: two accounts must not have the same value. null: the channel has none. */
  readonly identityKey: string | null;
  /** Own keys that hold secrets, as dotted paths. */
  readonly secretKeys: readonly string[];
  /** The platform's canonical form of an id as people write it in the configuration, or null when it cannot be one (FC-053). */
  foldId(id: string, what: "sender" | "place"): string | null;
  /** Whether several people can write under this sender id (FC-424). Absent: no id is shared. */
  standsForSeveral?(senderId: string): boolean;
  /** How such an id looks, for the remedy of a fault. */
  readonly idExample: { readonly sender: string; readonly place: string };
  /** Links to its messages, for `/why` (IN-17); absent: only ids are known. */
  readonly links?: LinkReader;
  /**
   * What the platform's own page takes to make an app with exactly the rights and commands in use; absent: it takes none.
   * `requestUrl`: the public address that events are sent to, null when they come over a connection.
   */
  manifest?(app: {
    readonly commands: readonly NativeCommand[];
    readonly requestUrl: string | null;
  }): Promise<Readonly<Record<string, unknown>>>;
  /** Loads the adapter and builds one account of it. */
  create(account: AccountSettings): Promise<ChannelAdapter>;
  /** Checks one account against the platform (OP-5). Never throws: what fails is a finding. */
  doctor(account: AccountSettings, signal: AbortSignal): Promise<readonly DoctorFinding[]>;
}

/** The path of an account's own setting in the configuration: `channels.telegram.accounts.second.botToken`. */
export function settingPath(
  { channel, accountId }: { readonly channel: ChannelId; readonly accountId: AccountId },
  key: string,
): string {
  return `channels.${channel}.${accountId === "default" ? "" : `accounts.${accountId}.`}${key}`;
}

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

/** The exact form of `WRITTEN` (IN-17). `accountId` null: any account. */
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

/** One finding of `switchyard doctor`, with the way to fix it (OP-5). */
export interface DoctorFinding extends FindingText {
  readonly level: "ok" | "warning" | "error";
  /** What was checked: `telegram/default token`. */
  readonly subject: string;
}

/** `serverTime`: the platform's own time when it answered; null: it did not say. */
export function clockFindings(platform: string, serverTime: number | null, subject: string): readonly DoctorFinding[] {
  const off = serverTime === null ? 0 : Date.now() - serverTime;
  if (Math.abs(off) < CLOCK_TOLERANCE_MS) return [];
  const seconds = Math.round(Math.abs(off) / 1_000);
  const text = off > 0 ? doctorTexts.clockAhead(seconds, platform) : doctorTexts.clockBehind(seconds, platform);
  return [{ level: "warning", subject, ...text }];
}

/** When a response was sent, by its `date` header. */
export function serverTimeOf(response: Response): number | null {
  const date = Date.parse(response.headers.get("date") ?? "");
  return Number.isNaN(date) ? null : date;
}

/** The finding for an address that does not answer. Its reason never shows the token, which may be part of the address. */
export function unreachableFinding(
  failure: unknown,
  {
    subject,
    url,
    key,
    token,
  }: { readonly subject: string; readonly url: string; readonly key: string; readonly token: string },
): DoctorFinding {
  const reason = failure instanceof Error && failure.cause instanceof Error ? failure.cause.message : String(failure);
  return { level: "error", subject, ...doctorTexts.unreachable(url, reason.replaceAll(token, "…"), key) };
}
