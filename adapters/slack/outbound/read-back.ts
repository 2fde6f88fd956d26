import type { PlatformClock } from "../../../src/channel/platform-clock.ts";
import type { Delivery, Route } from "../../../src/core/delivery/delivery.ts";
import type { BotFacts } from "../address.ts";
import type { SlackWeb } from "../gateway/lookups.ts";

/** What marks a message as that of a delivery; only the bot's own app reads it. */
export const METADATA_TYPE = "switchyard_delivery";
/** This machine's clock and Slack's may differ. */
const CLOCK_SLACK_MS = 120_000;
const PAGE = 200;
const MOST_PAGES = 10;

export function metadataOf(key: string): { event_type: string; event_payload: { key: string } } {
  return { event_type: METADATA_TYPE, event_payload: { key } };
}

export interface ReadBackParts {
  readonly web: SlackWeb;
  readonly bot: BotFacts;
  readonly memory: SentMemory;
  readonly clock: PlatformClock;
}

type Found = Awaited<ReturnType<SlackWeb["conversations"]["history"]>>["messages"] extends (infer M)[] | undefined
  ? M
  : never;

/**
 * Looks whether a delivery's message stands already (DL-3, TB-7): by the key in its metadata. Rejects as the Web API does:
 * what cannot be looked up must not be sent again blindly.
 */
export async function findSent(parts: ReadBackParts, delivery: Delivery, route: Route): Promise<Standing | null> {
  const since = parts.clock.earliest(delivery.createdAt);
  const found = await look(parts.web, { route, since }, ({ metadata }) => {
    const payload = metadata?.event_type === METADATA_TYPE ? metadata.event_payload : undefined;
    return payload !== undefined && "key" in payload && payload.key === delivery.key;
  });
  return found?.ts === undefined ? null : { ts: found.ts, text: found.text ?? null };
}

/**
 * Files carry no metadata: the bot's own message with a file of this name and size that no other delivery has. With `fileId`
 * exactly that file.
 */
export async function findFile(
  { web, bot, memory, clock }: ReadBackParts,
  delivery: Pick<Delivery, "createdAt" | "route">,
  file: { readonly name: string; readonly bytes: number; readonly fileId?: string },
): Promise<Standing | null> {
  const { route } = delivery;
  const since = clock.earliest(delivery.createdAt);
  const found = await look(web, { route, since }, ({ user, bot_id: botId, ts, files }) => {
    const isOwn = user === bot.userId || (botId !== undefined && botId === bot.botId);
    if (!isOwn || ts === undefined || memory.isTaken(ts)) return false;
    return (files ?? []).some((one) =>
      file.fileId === undefined ? one.name === file.name && one.size === file.bytes : one.id === file.fileId,
    );
  });
  return found?.ts === undefined ? null : { ts: found.ts, text: found.text ?? null };
}

async function look(
  web: SlackWeb,
  { route, since }: { readonly route: Route; readonly since: number },
  wanted: (message: Found) => boolean,
): Promise<Found | null> {
  const span = {
    channel: route.to,
    oldest: Math.max(0, (since - CLOCK_SLACK_MS) / 1000).toFixed(6),
    limit: PAGE,
    include_all_metadata: true,
  };
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const next = cursor === undefined ? span : { ...span, cursor };
    const answer =
      route.threadId === null
        ? await web.conversations.history(next)
        : await web.conversations.replies({ ...next, ts: route.threadId });
    const found = (answer.messages as Found[] | undefined)?.find(wanted);
    if (found !== undefined) return found;
    cursor = answer.response_metadata?.next_cursor;
    if (cursor === undefined || cursor === "") return null;
  }
  return null;
}

const MOST_KEPT = 2_000;

/** A message in Slack that belongs to a delivery. */
export interface Standing {
  readonly ts: string;
  /** Its text as it was last written; null when that is not known. */
  readonly text: string | null;
}

/** What this connection sent, by delivery key: a repeated key shows one message (DL-3). */
export interface SentMemory {
  find(key: string): Standing | null;
  remember(key: string, standing: Standing): void;
  forget(key: string): void;
  /** Whether a message already belongs to a delivery. */
  isTaken(ts: string): boolean;
  /** Slack may have processed a request with this key without answering: Slack is asked before it is repeated. */
  doubt(key: string): void;
  isDoubtful(key: string): boolean;
}

export function createSentMemory(): SentMemory {
  const sent = new Map<string, Standing>();
  const doubtful = new Set<string>();
  return {
    find: (key) => sent.get(key) ?? null,
    remember(key, standing) {
      doubtful.delete(key);
      sent.delete(key);
      sent.set(key, standing);
      const oldest = sent.keys().next();
      if (sent.size > MOST_KEPT && oldest.done !== true) sent.delete(oldest.value);
    },
    forget: (key) => void sent.delete(key),
    isTaken: (ts) => [...sent.values()].some((standing) => standing.ts === ts),
    doubt: (key) => void doubtful.add(key),
    isDoubtful: (key) => doubtful.has(key),
  };
}
