import type { SessionId } from "../core/ids.ts";
import type { TranscriptMessage } from "../core/message/transcript.ts";
import { utf8Length } from "../core/text/cut.ts";
import type { Redacted } from "../core/text/redact.ts";
import { hasMessage, messagesAfter, messagesBefore } from "../store/reads/turns/transcript.ts";
import type { Store } from "../store/store.ts";
import { type MessageView, OMITTED, viewMessage } from "./history-view.ts";

/** ST-8: the messages of one answer, in bytes of their JSON; what is around them fits into the rest of 80 KiB. */
const MAX_BYTES = 79 * 1024;
const BATCH = 100;

export interface HistoryRequest {
  readonly sessionId: SessionId;
  /** 1–200. */
  readonly limit: number;
  /** null: the newest; else only messages before this sequence. */
  readonly before: number | null;
  readonly includeTools: boolean;
  readonly redact: (text: string) => Redacted;
}

/** What a view always says of itself (ST-8). */
export interface HistoryPage {
  /** Oldest first. */
  readonly messages: readonly MessageView[];
  /** Where the walk back goes on; null: the beginning is reached. */
  readonly nextOffset: number | null;
  /** Something of the transcript is not in this answer: older messages, dropped ones, the rest of a block. */
  readonly truncated: boolean;
  readonly droppedMessages: number;
  readonly contentTruncated: boolean;
  readonly contentRedacted: boolean;
  readonly bytes: number;
}

/**
 * The newest messages of one life, or those before a sequence; rows that were stored and nothing else (ST-5). Sequences, not
 * counts, are the cursor, so a transcript that grows meanwhile shows each message once.
 */
export async function readHistory(store: Store, request: HistoryRequest): Promise<HistoryPage> {
  const { shown, older } = await collect(store, request);
  const kept: MessageView[] = [];
  let bytes = 2;
  for (const { view } of shown) {
    const size = sizeOf(view);
    if (bytes + size <= MAX_BYTES) kept.push(view);
    else if (kept.length === 0) kept.push(omitted(view));
    else break;
    bytes += size <= MAX_BYTES ? size : utf8Length(JSON.stringify(kept[0]));
  }
  const flags = shown.slice(0, kept.length).map((one) => one.flags);
  const droppedMessages = shown.length - kept.length;
  const contentTruncated = flags.some((one) => one.contentTruncated) || kept.some(({ text }) => text === OMITTED);
  const oldest = kept.at(-1);
  return {
    messages: kept.toReversed(),
    nextOffset: oldest !== undefined && (droppedMessages > 0 || older) ? oldest.seq : null,
    truncated: droppedMessages > 0 || older || contentTruncated,
    droppedMessages,
    contentTruncated,
    contentRedacted: flags.some((one) => one.contentRedacted),
    bytes,
  };
}

/**
 * What stands around a message (ST-11): half of `limit` behind it, the rest is it and what came before, and `nextOffset` goes
 * on to older ones. What stands behind leaves room for the message itself, whatever the size cap cuts.
 */
export async function readAround(
  store: Store,
  message: TranscriptMessage,
  request: Pick<HistoryRequest, "limit" | "includeTools" | "redact">,
): Promise<HistoryPage & { readonly hasNewer: boolean }> {
  const { sessionId, seq } = message;
  const own = viewMessage(message, request);
  const room = Math.min(MAX_BYTES / 2, MAX_BYTES - (own === null ? 0 : sizeOf(own.view)) - 2);
  const wanted = Math.floor((request.limit - 1) / 2);
  let last = seq;
  let bytes = 0;
  let count = 0;
  let hasNewer = false;
  for (const row of await newerThan(store, message, wanted + 1, request)) {
    bytes += sizeOf(row);
    if (count === wanted || bytes > room) {
      hasNewer = true;
      break;
    }
    count += 1;
    last = row.seq;
  }
  return { ...(await readHistory(store, { ...request, sessionId, before: last + 1 })), hasNewer };
}

async function newerThan(
  store: Store,
  { sessionId, seq }: TranscriptMessage,
  wanted: number,
  options: Pick<HistoryRequest, "includeTools" | "redact">,
): Promise<readonly MessageView[]> {
  const { includeTools } = options;
  const views: MessageView[] = [];
  let after = seq;
  for (;;) {
    const rows = await store.read(messagesAfter, { sessionId, after, limit: BATCH, includeTools });
    views.push(...rows.flatMap((row) => viewMessage(row, options)?.view ?? []));
    const last = rows.at(-1);
    if (views.length >= wanted || rows.length < BATCH || last === undefined) return views.slice(0, wanted);
    after = last.seq;
  }
}

function sizeOf(view: MessageView): number {
  return utf8Length(JSON.stringify(view)) + 1;
}

/** True when a sequence is a message of this life: the only offsets that mean anything (ST-5). */
export function isOffsetOf(store: Store, sessionId: SessionId, seq: number): Promise<boolean> {
  return store.read(hasMessage, { sessionId, seq });
}

type Shown = NonNullable<ReturnType<typeof viewMessage>>;

/** Newest first, past rows that show nothing (tool steps), until the limit is reached or the beginning. */
async function collect(
  store: Store,
  { sessionId, limit, before, includeTools, redact }: HistoryRequest,
): Promise<{ readonly shown: readonly Shown[]; readonly older: boolean }> {
  const shown: Shown[] = [];
  let cursor = before;
  for (;;) {
    const wanted = Math.max(BATCH, limit + 1);
    const rows = await store.read(messagesBefore, { sessionId, before: cursor, limit: wanted, includeTools });
    for (const row of rows) {
      const view = viewMessage(row, { includeTools, redact });
      if (view === null) continue;
      if (shown.length === limit) return { shown, older: true };
      shown.push(view);
    }
    const last = rows.at(-1);
    if (rows.length < wanted || last === undefined) return { shown, older: false };
    cursor = last.seq;
  }
}

function omitted({ seq, role, at, provenance }: MessageView): MessageView {
  return { seq, role, at, provenance, text: OMITTED };
}
