import type { AdapterHost, HostFiles } from "../../src/channel/adapter.ts";
import type { LoggedMessage } from "../../src/channel/capabilities.ts";
import { encodeId } from "../../src/core/ids.ts";
import type { AcceptResult } from "../../src/core/message/inbound-event.ts";
import type { StoredAttachment } from "../../src/core/message/transcript.ts";
import { assertNever } from "../../src/core/runtime.ts";
import { pageProblems } from "../../src/core/texts/page.ts";
import { originOfThread, type Place, personKey, routeTo } from "./address.ts";
import { type ConversationFacts, toEvent } from "./inbound.ts";
import { plainHtml } from "./page/markup.ts";

const OFFER_AGAIN_MS = 15 * 60_000;
const OFFER_LIMIT = 500;

export interface PersonMessage {
  readonly clientId: string;
  readonly text: string;
  readonly attachments: readonly StoredAttachment[];
}

export type Received =
  | { readonly outcome: "accepted"; readonly message: LoggedMessage }
  /** The ingress turned it away by this rule; the message was taken back. */
  | { readonly outcome: "refused"; readonly rule: string }
  | { readonly outcome: "no_conversation" };

/**
 * Keeps a person's message once per client id and hands it in (IN-3): when this resolves `accepted`, it is committed.
 * Rejects when it could not be stored; sending it again with the same id is safe, whatever was stored of it.
 */
export async function receive(host: AdapterHost, place: Place, message: PersonMessage): Promise<Received> {
  const appended = await host.conversations.append({
    key: personKey(message.clientId),
    route: routeTo(host.accountId, place),
    author: "person",
    html: plainHtml(message.text),
    text: message.text,
    attachments: message.attachments,
  });
  if (appended === null) return { outcome: "no_conversation" };
  const result = await offer(host, appended.message);
  if (wasTaken(result)) return { outcome: "accepted", message: appended.message };
  await host.conversations.remove(appended.message.id);
  return { outcome: "refused", rule: result.rule };
}

/**
 * Offers people's messages of the last 15 minutes again (IN-14): those whose event was not committed before a crash or a
 * failure of the store run now, all others are duplicates of what was accepted.
 */
export async function offerRecent(host: AdapterHost): Promise<void> {
  const recent = await host.conversations.peopleSince(host.clock.now() - OFFER_AGAIN_MS, OFFER_LIMIT);
  for (const message of recent) await offer(host, message);
}

async function offer(host: AdapterHost, message: LoggedMessage): Promise<AcceptResult> {
  const event = toEvent(message, await factsOf(host, message));
  if (event === null) throw new Error(`message ${message.id} was not written by a person`);
  return host.accept(event);
}

async function factsOf(host: AdapterHost, message: LoggedMessage): Promise<ConversationFacts> {
  const { to, threadId } = message.route;
  const channel = await host.conversations.find(to, null);
  const thread = threadId === null ? null : await host.conversations.find(to, threadId);
  const originId = originOfThread(threadId);
  const isFirst = originId !== null && (await host.conversations.tail(message.route, 1, message.id)).length === 0;
  return {
    channelTitle: channel?.title ?? to,
    threadTitle: thread?.title ?? null,
    origin: isFirst ? await host.conversations.get(originId) : null,
  };
}

function wasTaken(result: AcceptResult): boolean {
  switch (result.result) {
    case "accepted":
    case "command":
    case "merged":
    case "kept":
    case "duplicate":
      return true;
    case "refused":
    case "ignored":
    case "stale":
      return false;
    default:
      return assertNever(result);
  }
}

const MAX_FILES = 10;
const MAX_TEXT = 60_000;
/** Room for the text and the form's own lines. */
const FORM_BYTES = 1_000_000;

/** A request that is not carried out, with the status and the sentence the person reads. */
export class RequestProblem extends Error {
  override readonly name = "RequestProblem";
  readonly status: 400 | 404 | 413;

  constructor(status: 400 | 404 | 413, message: string) {
    super(message);
    this.status = status;
  }
}

export interface MessageForm {
  readonly clientId: string;
  readonly text: string;
  readonly files: readonly File[];
}

/** Reads the composer's form, never more of it than may be sent (IN-12). Throws a RequestProblem. */
export async function readMessageForm(request: Request, maxBytes: number): Promise<MessageForm> {
  const body = await readLimited(request, maxBytes + FORM_BYTES);
  const contentType = request.headers.get("content-type") ?? "";
  const form = await new Response(body, { headers: { "content-type": contentType } }).formData().catch((cause) => {
    throw Object.assign(new RequestProblem(400, pageProblems.notAForm), { cause });
  });
  const text = String(form.get("text") ?? "").replace(/\r\n/g, "\n");
  const files = form.getAll("file").filter((entry) => entry instanceof File && entry.name !== "");
  const uploads = files.filter((entry) => entry instanceof File);
  if (text.length > MAX_TEXT) throw new RequestProblem(413, pageProblems.textTooLong(MAX_TEXT));
  if (uploads.length > MAX_FILES) throw new RequestProblem(413, pageProblems.tooManyFiles(MAX_FILES));
  for (const file of uploads) {
    if (file.size > maxBytes) throw new RequestProblem(413, pageProblems.fileTooLarge(file.name));
  }
  if (text.trim() === "" && uploads.length === 0) throw new RequestProblem(400, pageProblems.empty);
  return { clientId: String(form.get("id") ?? ""), text, files: uploads };
}

export async function keepFiles(files: readonly File[], store: HostFiles): Promise<readonly StoredAttachment[]> {
  const kept: StoredAttachment[] = [];
  for (const file of files) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const mime = sniffImage(bytes) ?? declaredMime(file.type);
    kept.push(await store.put(bytes, { name: safeName(file.name), mime }));
  }
  return kept;
}

/** What calls itself an image and is none counts as plain bytes. */
function declaredMime(type: string): string {
  const bare = type.split(";")[0]?.trim().toLowerCase() ?? "";
  const isKnown = /^[a-z]+\/[a-z0-9.+-]+$/.test(bare) && !bare.startsWith("image/");
  return isKnown ? bare : "application/octet-stream";
}

function safeName(name: string): string {
  const last =
    name
      .split(/[/\\]/)
      .at(-1)
      ?.replace(/[\x00-\x1f\x7f]/g, "")
      .trim() ?? "";
  return last === "" ? "file" : last.slice(-120);
}

async function readLimited(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = new RequestProblem(413, pageProblems.filesTooLarge);
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of request.body ?? []) {
    total += chunk.byteLength;
    if (total > limit) throw tooLarge;
    chunks.push(chunk);
  }
  const body = new Uint8Array(total);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.byteLength;
  }
  return body;
}

/** Images a browser may show in place. SVG is none of them: it can carry script. */
const INLINE_IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

export function isInlineImage(mime: string): boolean {
  return (INLINE_IMAGES as readonly string[]).includes(mime);
}

/** The image type its first bytes prove, or null. What an upload calls itself is never trusted for showing it. */
export function sniffImage(bytes: Uint8Array): string | null {
  const starts = (...signature: number[]): boolean => signature.every((byte, at) => bytes[at] === byte);
  if (starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return "image/png";
  if (starts(0xff, 0xd8, 0xff)) return "image/jpeg";
  if (starts(0x47, 0x49, 0x46, 0x38)) return "image/gif";
  const isWebp = starts(0x52, 0x49, 0x46, 0x46) && Buffer.from(bytes.subarray(8, 12)).toString("latin1") === "WEBP";
  return isWebp ? "image/webp" : null;
}

/** Headers under which stored bytes go out: an image in place, everything else as a download that runs nothing (IN-12). */
export function fileHeaders(bytes: Uint8Array, name: string): Record<string, string> {
  const image = sniffImage(bytes);
  const ascii = name.replace(/[^\x20-\x7e]|["\\]/g, "_");
  return {
    "content-type": image ?? "application/octet-stream",
    "content-length": String(bytes.byteLength),
    "content-disposition": `${image === null ? "attachment" : "inline"}; filename="${ascii}"; filename*=UTF-8''${encodeId(name)}`,
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "cache-control": "private, max-age=31536000, immutable",
  };
}
