import { type Client, PermissionFlagsBits, type REST } from "discord.js";
import {
  type APIChannel,
  type APIMessage,
  type APIThreadChannel,
  ChannelType,
  type RESTGetAPIGuildThreadsResult,
  Routes,
} from "discord-api-types/v10";
import type { ThreadAbility } from "../../../src/channel/capabilities.ts";
import type { PlatformClock } from "../../../src/channel/platform-clock.ts";
import type {
  Delivery,
  RenderedPiece,
  Route,
  SendOutcome,
  ThreadContent,
} from "../../../src/core/delivery/delivery.ts";
import type { Logger } from "../../../src/core/runtime.ts";
import { threadTexts } from "../../../src/core/texts/platforms/accounts.ts";
import { bornAt, isSnowflake } from "../address.ts";
import { outcomeOf, readRefusal } from "../errors.ts";
import { allowedMentions, findEarlier, nonceOf } from "./send-once.ts";

const yes: ThreadAbility = { can: true };
const no = (reason: string): ThreadAbility => ({ can: false, reason });

const NEEDED = [
  ["ViewChannel", PermissionFlagsBits.ViewChannel],
  ["SendMessages", PermissionFlagsBits.SendMessages],
  ["SendMessagesInThreads", PermissionFlagsBits.SendMessagesInThreads],
] as const;
const ON_MESSAGES = [
  ...NEEDED,
  ["CreatePublicThreads", PermissionFlagsBits.CreatePublicThreads],
  ["ReadMessageHistory", PermissionFlagsBits.ReadMessageHistory],
] as const;

/** Whether a thread can be made in the route's channel (TB-1); a thread inside a thread is one beside it. Never throws. */
export async function canMakeThread(client: Client<true>, { to }: Route): Promise<ThreadAbility> {
  try {
    const channel = await client.channels.fetch(to);
    if (channel === null) return no(threadTexts.channelUnknown);
    if (channel.isDMBased()) return no(threadTexts.noneInDirect);
    const isForum = channel.type === ChannelType.GuildForum || channel.type === ChannelType.GuildMedia;
    const hasThreads = channel.type === ChannelType.GuildText || channel.type === ChannelType.GuildAnnouncement;
    if (!isForum && !hasThreads) return no(threadTexts.none);
    const held = channel.permissionsFor(client.user);
    const missing = (isForum ? NEEDED : ON_MESSAGES).filter(([, flag]) => held?.has(flag) !== true);
    if (missing.length === 0) return yes;
    return no(threadTexts.permissions(missing.map(([name]) => name)));
  } catch (error) {
    return no(threadTexts.unanswered("Discord", readRefusal(error).reason));
  }
}

/** Discord shows a thread's name itself. */
export function linkToThread({ threadId }: Route, title: string): RenderedPiece | null {
  return threadId === null ? null : { rich: `→ <#${threadId}>`, plain: `→ ${title}: <#${threadId}>` };
}

/** After how many minutes without a message Discord may archive a thread. */
const DURATIONS = [60, 1_440, 4_320, 10_080] as const;

interface ThreadParts {
  readonly rest: REST;
  readonly botId: string;
  readonly log: Logger;
  readonly clock: PlatformClock;
}

type ThreadDelivery = Delivery & { readonly content: ThreadContent };

/** The shortest time that is long enough; the longest for ever (FC-044). */
export function archiveMinutes(keepOpenMs: number): number {
  const longest = 10_080;
  if (keepOpenMs === 0) return longest;
  return DURATIONS.find((minutes) => minutes * 60_000 >= keepOpenMs) ?? longest;
}

/**
 * Makes a thread in the route's channel (TB-1): on the message that asked for it; where there is none, or it has a thread
 * already, on a root message of its own; in a forum as a post. From inside a thread this is a sibling of it. A repeated
 * delivery finds what an earlier try has made (TB-7). Never throws.
 */
export async function openThread(
  parts: ThreadParts,
  delivery: ThreadDelivery,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { route, content } = delivery;
  try {
    const parent = (await parts.rest.get(Routes.channel(route.to), { signal })) as APIChannel;
    if (parent.type === ChannelType.GuildForum || parent.type === ChannelType.GuildMedia) {
      return await openPost(parts, { delivery, guildId: parent.guild_id ?? "" }, signal);
    }
    const anchor = content.anchorMessageId;
    const grown = anchor !== null && isSnowflake(anchor) ? await growFrom(parts, { delivery, anchor }, signal) : null;
    if (grown !== null) return await openIn(parts, { delivery, threadId: grown }, signal);
    return await openOnRoot(parts, delivery, signal);
  } catch (error) {
    return outcomeOf(readRefusal(error));
  }
}

/**
 * Its first message, which shows whether the bot may write in it. A refusal undoes the thread (TB-7, FC-421); what is not decided yet
 * follows as a message of its own, which the same nonce keeps from being shown twice.
 */
async function openIn(
  parts: ThreadParts,
  { delivery, threadId }: { readonly delivery: ThreadDelivery; readonly threadId: string },
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { route, content } = delivery;
  const text = content.opening.rich;
  const nonce = nonceOf(`${delivery.key}:opening`);
  const body = { content: text, nonce, enforce_nonce: true, allowed_mentions: allowedMentions(text) };
  try {
    const once = { channelId: threadId, delivery, nonce, text };
    const earlier = await findEarlier(parts, once, signal);
    const first =
      earlier ?? ((await parts.rest.post(Routes.channelMessages(threadId), { body, signal })) as APIMessage);
    return made(route, threadId, [first.id]);
  } catch (error) {
    const refusal = readRefusal(error);
    if (refusal.kind !== "denied" && refusal.kind !== "place_gone") return made(route, threadId, []);
    const isGone = await removeThread(parts, threadId, signal);
    return { outcome: "failed", reason: threadTexts.notWritable(refusal.reason, isGone), gone: false, movedTo: null };
  }
}

/** A thread of the bot's own. Without the permission to delete it is at least out of the list. */
async function removeThread({ rest, log }: ThreadParts, threadId: string, signal: AbortSignal): Promise<boolean> {
  try {
    await rest.delete(Routes.channel(threadId), { signal });
    return true;
  } catch (error) {
    log.info({ reason: readRefusal(error).reason, thread: threadId }, "an empty thread could not be deleted");
  }
  await rest.patch(Routes.channel(threadId), { body: { archived: true }, signal }).catch((error: unknown) => {
    log.warn({ reason: readRefusal(error).reason, thread: threadId }, "an empty thread could not be archived");
  });
  return false;
}

/** The thread's id; null: the message cannot carry it, because it is gone or has one that is not this delivery's. */
async function growFrom(
  parts: ThreadParts,
  { delivery, anchor }: { readonly delivery: ThreadDelivery; readonly anchor: string },
  signal: AbortSignal,
): Promise<string | null> {
  try {
    return await startThread(parts, { delivery, messageId: anchor }, signal);
  } catch (error) {
    const refusal = readRefusal(error);
    if (refusal.kind === "message_gone") return null;
    // A message of a kind that carries none.
    if (refusal.kind === "refused" && refusal.code === 50_068) return null;
    if (refusal.kind !== "thread_exists") throw error;
    if (delivery.attempts <= 1) return null;
    const thread = (await parts.rest.get(Routes.channel(anchor), { signal })) as APIThreadChannel;
    return isOwn(parts, delivery, thread) ? thread.id : null;
  }
}

async function openOnRoot(parts: ThreadParts, delivery: ThreadDelivery, signal: AbortSignal): Promise<SendOutcome> {
  const { route, key, content } = delivery;
  const text = content.opening.rich;
  const nonce = nonceOf(key);
  const body = { content: text, nonce, enforce_nonce: true, allowed_mentions: allowedMentions(text) };
  const root =
    (await findEarlier(parts, { channelId: route.to, delivery, nonce, text }, signal)) ??
    ((await parts.rest.post(Routes.channelMessages(route.to), { body, signal })) as APIMessage);
  try {
    return made(route, await startThread(parts, { delivery, messageId: root.id }, signal), [root.id]);
  } catch (error) {
    const refusal = readRefusal(error);
    // Only this delivery knows the root: a thread on it is its own.
    if (refusal.kind === "thread_exists") return made(route, root.id, [root.id]);
    const outcome = outcomeOf(refusal);
    if (outcome.outcome === "failed") await takeBack(parts, { route, messageId: root.id }, signal);
    return outcome;
  }
}

async function startThread(
  { rest }: ThreadParts,
  { delivery, messageId }: { readonly delivery: ThreadDelivery; readonly messageId: string },
  signal: AbortSignal,
): Promise<string> {
  const { route, content } = delivery;
  const body = { name: content.title, auto_archive_duration: archiveMinutes(content.keepOpenMs) };
  const thread = (await rest.post(Routes.threads(route.to, messageId), { body, signal })) as APIThreadChannel;
  return thread.id;
}

/** A post's first message has the post's id; it takes no nonce, so an earlier try is looked for among the open posts. */
async function openPost(
  parts: ThreadParts,
  { delivery, guildId }: { readonly delivery: ThreadDelivery; readonly guildId: string },
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { route, content } = delivery;
  if (delivery.attempts > 1) {
    const active = (await parts.rest.get(Routes.guildActiveThreads(guildId), {
      signal,
    })) as RESTGetAPIGuildThreadsResult;
    const own = (active.threads as APIThreadChannel[]).find(
      (thread) => thread.parent_id === route.to && isOwn(parts, delivery, thread),
    );
    if (own !== undefined) return made(route, own.id, [own.id]);
  }
  const body = {
    name: content.title,
    auto_archive_duration: archiveMinutes(content.keepOpenMs),
    message: { content: content.opening.rich, allowed_mentions: allowedMentions(content.opening.rich) },
    ...(await tagsBeside(parts, route, signal)),
  };
  const post = (await parts.rest.post(Routes.threads(route.to), { body, signal })) as APIThreadChannel;
  return made(route, post.id, [post.id]);
}

/** A forum may want a tag; a sibling has those of the post it is made from. */
async function tagsBeside(
  { rest }: ThreadParts,
  { threadId }: Route,
  signal: AbortSignal,
): Promise<{ applied_tags?: readonly string[] }> {
  if (threadId === null) return {};
  const beside = (await rest.get(Routes.channel(threadId), { signal })) as APIThreadChannel;
  const tags = beside.applied_tags ?? [];
  return tags.length === 0 ? {} : { applied_tags: tags };
}

function isOwn({ botId }: ThreadParts, { content, createdAt }: ThreadDelivery, thread: APIThreadChannel): boolean {
  const at = Date.parse(thread.thread_metadata?.create_timestamp ?? "") || bornAt(thread.id);
  return thread.owner_id === botId && thread.name === content.title && at >= createdAt - 60_000;
}

/** No root message stays without its thread (TB-7). */
async function takeBack(
  { rest, log }: ThreadParts,
  { route, messageId }: { readonly route: Route; readonly messageId: string },
  signal: AbortSignal,
): Promise<void> {
  await rest.delete(Routes.channelMessage(route.to, messageId), { signal }).catch((error: unknown) => {
    log.warn({ reason: readRefusal(error).reason, channel: route.to }, "the root of a thread that failed still stands");
  });
}

function made(route: Route, threadId: string, messageIds: readonly string[]): SendOutcome {
  return { outcome: "sent", messageIds, thread: { ...route, threadId } };
}
