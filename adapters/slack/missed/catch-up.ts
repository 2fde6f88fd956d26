import { reconnectMs } from "../../../src/channel/single-connection.ts";
import type { Logger } from "../../../src/core/runtime.ts";
import { pause } from "../../../src/core/time.ts";
import { readRefusal } from "../errors.ts";
import type { SlackWeb } from "../gateway/lookups.ts";
import type { SlackIntake } from "../inbound/intake.ts";
import type { Seen, SeenPlace } from "./seen.ts";

const PAGE = 100;
const MOST_PAGES = 5;
/** What is older is not asked for; the core decides which of the rest is answered (IN-14). */
const OLDEST_MS = 24 * 3_600_000;
const TRIES = 4;

type Page = Awaited<ReturnType<SlackWeb["conversations"]["replies"]>>;

/**
 * Asks for what was missed, in conversations and threads that are known, and hands it in like anything that came (IN-14):
 * what was not missed is known by its identity. Runs beside receiving. Never rejects.
 */
export async function catchUp(parts: {
  readonly web: SlackWeb;
  readonly seen: Seen;
  readonly intake: SlackIntake;
  readonly log: Logger;
  readonly now: number;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { web, seen, intake, log, now, signal } = parts;
  const oldest = ((now - OLDEST_MS) / 1000).toFixed(6);
  for (const place of seen.places()) {
    if (signal.aborted) return;
    // A thread that was quiet for so long is not read again; its channel is.
    if (place.threadTs !== null && place.ts < oldest) continue;
    try {
      const missed = await read(place, later(place.ts, oldest));
      for (const message of missed) {
        if (signal.aborted) return;
        await intake.take({ event: { ...message, ...outline(place, message) } });
      }
    } catch (error) {
      if (signal.aborted) return;
      const { reason } = readRefusal(error);
      log.warn({ reason, channel: place.channel }, "what was missed in a conversation could not be read");
    }
  }

  /** Oldest first. */
  async function read(place: SeenPlace, since: string): Promise<readonly { readonly ts?: string }[]> {
    const found: { readonly ts?: string }[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const answer = await patiently(() => ask(place, since, cursor));
      found.push(...(answer.messages ?? []).filter(({ ts }) => ts !== undefined && ts > since));
      cursor = answer.response_metadata?.next_cursor;
      if (cursor === undefined || cursor === "") break;
    }
    return found.sort((a, b) => ((a.ts ?? "") < (b.ts ?? "") ? -1 : 1));
  }

  async function ask({ channel, threadTs }: SeenPlace, since: string, cursor: string | undefined): Promise<Page> {
    const span = { channel, oldest: since, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
    if (threadTs === null) return (await web.conversations.history(span)) as Page;
    return await web.conversations.replies({ ...span, ts: threadTs });
  }

  async function patiently(call: () => Promise<Page>): Promise<Page> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await call();
      } catch (error) {
        const refusal = readRefusal(error);
        const isPassing = refusal.kind === "rate_limited" || refusal.kind === "network";
        if (!isPassing || tries === TRIES || signal.aborted) throw error;
        await pause(refusal.kind === "rate_limited" ? refusal.afterMs : reconnectMs(tries), signal);
      }
    }
  }
}

/** Both are ts, which order as texts do. */
function later(one: string, other: string): string {
  return [one, other].sort().at(-1) ?? one;
}

/** What an event says beyond the message in the history. */
function outline({ channel, kind }: SeenPlace, message: { readonly ts?: string }) {
  return { type: "message", channel, channel_type: kind, event_ts: message.ts };
}
