import type { FetchedFile } from "../../../src/channel/capabilities.ts";
import { guardedFetch } from "../../../src/channel/guarded-fetch.ts";
import type { Delivery, DeliveryContent, SendOutcome } from "../../../src/core/delivery/delivery.ts";
import type { InboundAttachment } from "../../../src/core/message/inbound-event.ts";
import { fileTexts } from "../../../src/core/texts/platforms/accounts.ts";
import { pause } from "../../../src/core/time.ts";
import { readRefusal } from "../errors.ts";
import type { SlackWeb } from "../gateway/lookups.ts";
import { escapeMrkdwn } from "../render.ts";
import { findFile, type ReadBackParts } from "./read-back.ts";

const LARGEST_FILE = 1024 ** 3;
const UPLOAD_MS = 45_000;
/** Slack posts the message of a finished upload a moment later. */
const LOOKS = 3;
const BETWEEN_LOOKS_MS = 400;

type FileContent = Extract<DeliveryContent, { kind: "file" }>;

export interface SendFileParts extends ReadBackParts {
  readonly readFile: (sha256: string) => Promise<Uint8Array | null>;
}

/**
 * Uploads a stored file (v2: announce, bytes, complete). Nothing shows before the last call, so only that one can leave a
 * doubt. Resolves with the message's id; with the file's own while Slack has not posted it yet. Rejects as the Web API does.
 */
export async function sendFile(
  parts: SendFileParts,
  delivery: Delivery,
  content: FileContent,
  beforeLast: () => void,
): Promise<SendOutcome> {
  const { file, caption } = content;
  const { route } = delivery;
  if (file.bytes === 0) return failed(fileTexts.empty(file.name));
  if (file.bytes > LARGEST_FILE) return failed(fileTexts.overSlackLimit(file.name));
  const bytes = await parts.readFile(file.sha256);
  if (bytes === null) return failed(fileTexts.bytesGone(file.name));
  const announced = await parts.web.files.getUploadURLExternal({ filename: file.name, length: bytes.byteLength });
  const { upload_url: url, file_id: id } = announced;
  if (url === undefined || id === undefined) return failed(fileTexts.noUploadAddress);
  await upload(url, bytes);
  beforeLast();
  const where = route.threadId === null ? {} : { thread_ts: route.threadId };
  await parts.web.files.completeUploadExternal({
    files: [{ id, title: file.name }],
    channel_id: route.to,
    ...(caption === "" ? {} : { initial_comment: escapeMrkdwn(caption) }),
    ...where,
  });
  const ts = await messageOf(parts, delivery, { name: file.name, bytes: file.bytes, fileId: id });
  return { outcome: "sent", messageIds: [ts ?? id] };
}

async function upload(url: string, bytes: Uint8Array): Promise<void> {
  const body = new Uint8Array(bytes);
  const response = await fetch(url, {
    method: "POST",
    body,
    signal: AbortSignal.timeout(UPLOAD_MS),
    redirect: "error",
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`Slack's upload answered HTTP ${response.status}`);
}

/** The file is posted; failing to find its message is not a failure of the send. */
async function messageOf(
  parts: ReadBackParts,
  delivery: Delivery,
  file: { readonly name: string; readonly bytes: number; readonly fileId: string },
): Promise<string | null> {
  for (let looks = 1; looks <= LOOKS; looks += 1) {
    const found = await findFile(parts, delivery, file).catch(() => null);
    if (found !== null) return found.ts;
    if (looks < LOOKS) await pause(BETWEEN_LOOKS_MS, null);
  }
  return null;
}

function failed(reason: string): SendOutcome {
  return { outcome: "failed", reason, gone: false, movedTo: null };
}

/**
 * Fetches an attachment of an inbound message (IN-12). To a token without the right Slack shows its sign-in page with status
 * 200: HTML where no HTML file was sent is a refusal.
 */
export async function fetchFile(
  { web, botToken, apiUrl }: { readonly web: SlackWeb; readonly botToken: string; readonly apiUrl: string },
  attachment: InboundAttachment,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<FetchedFile> {
  const tooLarge = (bytes: number): FetchedFile => ({
    ok: false,
    reason: fileTexts.tooLarge(bytes, maxBytes),
  });
  if (attachment.bytes !== null && attachment.bytes > maxBytes) return tooLarge(attachment.bytes);
  try {
    const { file } = await web.files.info({ file: attachment.ref });
    if (file?.size !== undefined && file.size > maxBytes) return tooLarge(file.size);
    const url = file?.url_private_download ?? file?.url_private;
    if (url === undefined) return { ok: false, reason: fileTexts.noDownload("Slack") };
    const fetched = await guardedFetch(url, {
      maxBytes,
      signal,
      credentials: { authorization: `Bearer ${botToken}` },
      trustedOrigins: [new URL(apiUrl).origin],
    });
    if (!fetched.ok) return fetched;
    const mime = file?.mimetype ?? attachment.mime ?? fetched.mime;
    if (fetched.mime === "text/html" && mime !== "text/html") return { ok: false, reason: fileTexts.peopleOnly };
    return { ...fetched, mime, name: file?.name ?? attachment.name };
  } catch (error) {
    return { ok: false, reason: readRefusal(error).reason };
  }
}
