import type { Route } from "../../src/core/delivery/delivery.ts";
import type { InboundSender, Peer, ThreadFacts } from "../../src/core/message/inbound-event.ts";
import type { SlackMessage } from "./inbound/event-shape.ts";

export const CHANNEL = "slack";

/** The bot itself, as auth.test describes it; everything an event is read against. */
export interface BotFacts {
  /** The bot's user id: what mentions name and messages are from. */
  readonly userId: string;
  /** Its other id, which some of its messages carry alone; null when Slack did not say. */
  readonly botId: string | null;
  readonly teamId: string;
  /** `https://<workspace>.slack.com/`. */
  readonly teamUrl: string;
}

/** `channel`: a public or private channel. */
export type PlaceKind = "channel" | "mpim" | "im";

export interface KnownPlace {
  readonly kind: PlaceKind;
  readonly name: string | null;
}

export interface KnownPerson {
  readonly name: string;
  readonly username: string | null;
  readonly isBot: boolean;
}

/** What was looked up before an event is read; what is missing here is not known. */
export interface Directory {
  readonly places: ReadonlyMap<string, KnownPlace>;
  readonly people: ReadonlyMap<string, KnownPerson>;
  /** Handles of user groups. */
  readonly groups: ReadonlyMap<string, string>;
  /** `<channel>/<thread_ts>` of threads in the assistant's pane. */
  readonly assistantThreads: ReadonlySet<string>;
}

export function kindOfChannelType(type: string | undefined): PlaceKind | null {
  if (type === "im" || type === "mpim") return type;
  return type === "channel" || type === "group" ? "channel" : null;
}

/**
 * A conversation as a peer. A direct one is known by the person in it. `app_mention` does not say what kind of conversation
 * it stands in, and an id tells no more than that a `D…` is direct: group messages may have `C…` too (IN-2).
 */
export function peerOf(
  channel: string,
  { channelType, person, directory }: { channelType: string | undefined; person: string; directory: Directory },
): Peer {
  const known = directory.places.get(channel);
  const said = kindOfChannelType(channelType) ?? known?.kind ?? (channel.startsWith("D") ? "im" : null);
  if (said === "im") return { kind: "direct", id: person, label: directory.people.get(person)?.name ?? null };
  const kind = said === "mpim" ? "group" : "channel";
  const peer = { kind, id: channel, label: known?.name ?? null } as const;
  return said === null ? { ...peer, kindGuessed: true } : peer;
}

/**
 * SK-8: `thread_ts` decides, and a `thread_ts` that is the message's own ts is a root (FC-049). A thread in an ordinary
 * direct conversation is not a separate thread: it shares the session, and only the route leads back into it.
 */
export function threadOf(
  message: Pick<SlackMessage, "ts" | "thread_ts">,
  { channel, peer, directory }: { channel: string; peer: Peer; directory: Directory },
): ThreadFacts {
  const { ts, thread_ts: threadTs } = message;
  const isReply = threadTs !== undefined && threadTs !== ts;
  if (peer.kind === "direct") {
    const isAssistant = isReply && directory.assistantThreads.has(`${channel}/${threadTs}`);
    return isAssistant ? { kind: "thread", id: threadTs, label: null } : { kind: "none" };
  }
  return isReply ? { kind: "thread", id: threadTs, label: null } : { kind: "root", id: ts, label: null };
}

/** A reply is answered in its thread, also where that is not a separate session. */
export function routeOf(channel: string, message: Pick<SlackMessage, "ts" | "thread_ts">, accountId: string): Route {
  const { ts, thread_ts: threadTs } = message;
  const threadId = threadTs !== undefined && threadTs !== ts ? threadTs : null;
  return { channel: CHANNEL, accountId, to: channel, threadId };
}

export function isOwn(message: Pick<SlackMessage, "user" | "bot_id">, bot: BotFacts): boolean {
  return message.user === bot.userId || (bot.botId !== null && message.bot_id === bot.botId);
}

/** Who wrote. A message of an integration may have only a bot's id, which is then what an allowlist is compared with. */
export function senderOf(message: SlackMessage, bot: BotFacts, directory: Directory): InboundSender {
  const id = message.user ?? message.bot_id ?? "";
  const known = directory.people.get(id);
  return {
    id,
    name: message.username ?? known?.name ?? profileName(message) ?? message.bot_profile?.name ?? id,
    username: known?.username ?? null,
    isBot: message.bot_id !== undefined || known?.isBot === true,
    isSelf: isOwn(message, bot),
    roleIds: [],
  };
}

/** FC-210: the event of a person from a connected workspace contains their name, and `users.info` does not know them. */
function profileName({ user_profile: profile }: SlackMessage): string | undefined {
  return [profile?.display_name, profile?.real_name, profile?.name].find((name) => (name ?? "") !== "") ?? undefined;
}

export function personSender(id: string, bot: BotFacts, directory: Directory, said?: string): InboundSender {
  const known = directory.people.get(id);
  return {
    id,
    name: known?.name ?? said ?? id,
    username: known?.username ?? said ?? null,
    isBot: known?.isBot ?? false,
    isSelf: id === bot.userId,
    roleIds: [],
  };
}

/** The link Slack's own "Copy link" gives. */
export function linkOf(
  bot: Pick<BotFacts, "teamUrl">,
  channel: string,
  message: Pick<SlackMessage, "ts" | "thread_ts">,
): string {
  const { ts, thread_ts: threadTs } = message;
  const at = `${bot.teamUrl.replace(/\/*$/, "/")}archives/${channel}/p${ts.replace(".", "")}`;
  return threadTs === undefined || threadTs === ts ? at : `${at}?thread_ts=${threadTs}&cid=${channel}`;
}

/** Milliseconds of a ts, which counts seconds with six decimals. */
export function timeOf(ts: string): number {
  return Math.round(Number(ts) * 1000);
}

export function isTs(text: string): boolean {
  return /^\d{10}\.\d{6}$/.test(text);
}
