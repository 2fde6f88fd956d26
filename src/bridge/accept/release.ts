import type { HostFiles } from "../../channel/adapter.ts";
import type { Capabilities, ThreadRoot } from "../../channel/capabilities.ts";
import type { Route } from "../../core/delivery/delivery.ts";
import { isStoreTrouble } from "../../core/errors.ts";
import type { AccountId, ChannelId } from "../../core/ids.ts";
import { accountName } from "../../core/ids.ts";
import type { InboundAttachment } from "../../core/message/inbound-event.ts";
import { type InboxItem, isGathering } from "../../core/message/inbox-item.ts";
import type { Runtime } from "../../core/runtime.ts";
import { attachmentNotes } from "../../core/texts/chat/notices.ts";
import { createLanes } from "../../delivery/pacing.ts";
import { inboxItem } from "../../store/reads/inbound/inbox.ts";
import { type FetchedAttachment, type ReleaseItemInput, releaseItem } from "../../store/steps/inbound/release-item.ts";
import type { Store } from "../../store/store.ts";
import type { TaskHandler, WorkQueue } from "../../work/work-queue.ts";
import { contextText } from "./shown-text.ts";

type Platform = Pick<Capabilities, "files" | "threadRoot">;

export interface ReleaseDeps extends Pick<Runtime, "clock" | "log"> {
  readonly store: Store;
  readonly media: HostFiles;
  readonly work: Pick<WorkQueue, "enqueue">;
  /** How many files of unaddressed messages come with an addressed one. */
  contextFiles(): number;
  /** `not_ready`: the account is configured and not connected now, at a start for instance. */
  platform(channel: ChannelId, accountId: AccountId): Platform | undefined | "not_ready";
}

const ACCOUNT_LOOK_MS = 1_000;
/** How many inputs of one account have their files fetched at the same time. */
const PER_ACCOUNT = 8;

/**
 * The task `release`: a held input's time has come. What it still waits for is fetched first, then it goes to its session
 * (IN-12, IN-13). Called too early or twice it changes nothing: the row says what there is to do. While its account is not
 * connected it waits: a restart in the middle of a fetch must not turn a file into a line that says it is missing.
 */
export function createRelease(deps: ReleaseDeps): TaskHandler {
  const { store, work, media, clock, log } = deps;
  const lanes = createLanes(PER_ACCOUNT);
  return async (key, slot, signal) => {
    const item = await store.read(inboxItem, key);
    if (item === null || item.state !== "held" || !isGathering(item.payload)) return;
    const { until, attachments, rootMissing } = item.payload.gathering;
    const early = until > clock.now();
    const platform = item.route === null ? undefined : deps.platform(item.route.channel, item.route.accountId);
    const asksRoot = !early && rootMissing === true;
    const toFetch = early ? [] : attachments;
    if (platform === "not_ready" && (toFetch.length > 0 || asksRoot)) {
      work.enqueue("release", key, clock.now() + ACCOUNT_LOOK_MS);
      return;
    }
    const asks = platform !== "not_ready" && (toFetch.length > 0 || asksRoot);
    const { root, fetched } = asks ? await ask(item, platform) : { root: null, fetched: [] };
    const result = await store.step(releaseItem, { key, fetched, root, rootAsked: asksRoot });
    const missing = fetched.filter((one) => "note" in one).length;
    log.debug({ inboxKey: key, result, attachments: fetched.length, missing }, "held input looked at");

    /** Without the slot, and bounded by account: what is slow to come on one platform delays no input of another (DL-4). */
    function ask({ route }: InboxItem, from: Platform | undefined): Promise<Asked> {
      const lane = route === null ? "" : accountName(route);
      const asking = async (): Promise<Asked> => {
        const root = asksRoot && route !== null ? await rootOf(route, from) : null;
        const files = triage(root?.attachments ?? [], media.maxBytes).fetch.slice(0, deps.contextFiles());
        const fetched = await fetchAttachments([...files, ...toFetch], { files: from?.files, media, signal });
        return {
          fetched,
          root:
            root === null
              ? null
              : { senderName: root.sender.name, text: contextText(root), refs: files.map(({ ref }) => ref) },
        };
      };
      return slot.released(() => lanes.run(lane, asking));
    }

    /** A first message that cannot be read delays its thread no longer: the question is answered without it. */
    async function rootOf(route: Route, from: Platform | undefined): Promise<ThreadRoot | null> {
      try {
        const within = AbortSignal.any([signal, AbortSignal.timeout(ROOT_TIMEOUT_MS)]);
        return (await from?.threadRoot?.(route, within)) ?? null;
      } catch (error) {
        signal.throwIfAborted();
        log.info({ err: error, inboxKey: key }, "the first message of a thread could not be read");
        return null;
      }
    }
  };
}

interface Asked {
  readonly fetched: readonly FetchedAttachment[];
  readonly root: ReleaseItemInput["root"];
}

const ROOT_TIMEOUT_MS = 5_000;

/** How long one attachment may take, in milliseconds. */
const FETCH_TIMEOUT_MS = 60_000;
const UNKNOWN_MIME = "application/octet-stream";

export interface FetchPorts {
  /** The adapter's file access; undefined: the account no longer exists or has none. */
  readonly files: Capabilities["files"];
  readonly media: HostFiles;
  readonly signal: AbortSignal;
}

/** Sorts out what is known not to be usable before anything is fetched: voice messages, stickers, files that say they are too large. */
export function triage(
  attachments: readonly InboundAttachment[],
  maxBytes: number,
): { readonly fetch: readonly InboundAttachment[]; readonly notes: readonly string[] } {
  const fetch: InboundAttachment[] = [];
  const notes: string[] = [];
  for (const attachment of attachments) {
    const problem = knownProblem(attachment, maxBytes);
    if (problem === null) fetch.push(attachment);
    else notes.push(unavailable(attachment, problem));
  }
  return { fetch, notes };
}

function knownProblem({ kind, bytes }: InboundAttachment, maxBytes: number): string | null {
  if (kind === "voice") return attachmentNotes.voice;
  if (kind === "sticker") return attachmentNotes.sticker;
  return bytes !== null && bytes > maxBytes ? tooLarge(bytes, maxBytes) : null;
}

const tooLarge = (bytes: number, maxBytes: number): string => attachmentNotes.tooLarge(size(bytes), size(maxBytes));

function size(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} kB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** One line that names the file and says why it is not there (IN-12). */
function unavailable({ name }: InboundAttachment, reason: string): string {
  return attachmentNotes.unavailable(oneLine(name), oneLine(reason));
}

function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim()
    .slice(0, 200);
}

/**
 * Fetches attachments one after the other, bytes kept by content hash. Each settles by itself: one that fails becomes a line
 * and the rest are kept (FC-122). Rejects only when `signal` aborts, so that a stop leaves them to the next start, and when
 * the bytes cannot be kept now.
 */
export async function fetchAttachments(
  attachments: readonly InboundAttachment[],
  ports: FetchPorts,
): Promise<readonly FetchedAttachment[]> {
  const fetched: FetchedAttachment[] = [];
  for (const attachment of attachments) {
    fetched.push(await fetchOne(attachment, ports));
    ports.signal.throwIfAborted();
  }
  return fetched;
}

async function fetchOne(attachment: InboundAttachment, ports: FetchPorts): Promise<FetchedAttachment> {
  const { ref } = attachment;
  const { files, media } = ports;
  if (files === undefined) return { ref, note: unavailable(attachment, attachmentNotes.noFiles) };
  try {
    const signal = AbortSignal.any([ports.signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]);
    const file = await files.fetch(attachment, { maxBytes: media.maxBytes, signal });
    if (!file.ok) return { ref, note: unavailable(attachment, file.reason) };
    if (file.bytes.byteLength > media.maxBytes) {
      return { ref, note: unavailable(attachment, tooLarge(file.bytes.byteLength, media.maxBytes)) };
    }
    const found = imageMime(file.bytes);
    // A platform that wants other credentials answers with a page; that is no picture.
    if (attachment.kind === "image" && found === null) {
      return { ref, note: unavailable(attachment, attachmentNotes.unknownImage) };
    }
    const mime = found ?? file.mime ?? attachment.mime ?? UNKNOWN_MIME;
    return { ref, stored: await media.put(file.bytes, { name: oneLine(file.name ?? attachment.name), mime }) };
  } catch (error) {
    // The file is there, only the disk is full: it is fetched again when there is space (OP-10).
    if (ports.signal.aborted || isStoreTrouble(error)) throw error;
    const timedOut = error instanceof Error && error.name === "TimeoutError";
    return { ref, note: unavailable(attachment, timedOut ? attachmentNotes.timedOut : attachmentNotes.failed) };
  }
}

/** What the bytes say they are; a name or a header may say anything. */
function imageMime(bytes: Uint8Array): string | null {
  const at = (offset: number, text: string): boolean =>
    [...text].every((letter, index) => bytes[offset + index] === letter.charCodeAt(0));
  if (at(0, "\x89PNG")) return "image/png";
  if (at(0, "\xff\xd8\xff")) return "image/jpeg";
  if (at(0, "GIF8")) return "image/gif";
  if (at(0, "RIFF") && at(8, "WEBP")) return "image/webp";
  if (at(4, "ftypavif")) return "image/avif";
  if (at(4, "ftypheic") || at(4, "ftypmif1")) return "image/heic";
  return at(0, "BM") ? "image/bmp" : null;
}
