import { readFile, realpath, stat } from "node:fs/promises";
import { isAbsolute, sep } from "node:path";
import { type Api, InputFile } from "grammy";
import type { FetchedFile } from "../../../src/channel/capabilities.ts";
import type { DeliveryContent, Route, SendOutcome } from "../../../src/core/delivery/delivery.ts";
import type { InboundAttachment } from "../../../src/core/message/inbound-event.ts";
import { fileTexts } from "../../../src/core/texts/platforms/accounts.ts";
import { messageNumber, replyParameters, sendThread } from "../address.ts";
import { type Refusal, readRefusal } from "../errors.ts";
import { type ApiSignal, apiSignal, type Transport } from "../gateway/transport.ts";

/** Bots may send files up to 50 MB, photos up to 10 MB. */
const LARGEST_FILE = 50 * 1024 * 1024;
const LARGEST_PHOTO = 10 * 1024 * 1024;
const LONGEST_CAPTION = 1_024;
const PHOTO_TYPES: readonly string[] = ["image/jpeg", "image/png", "image/webp"];

type FileContent = Extract<DeliveryContent, { kind: "file" }>;

type FileSend = { readonly outcome: SendOutcome } | { readonly refusal: Refusal };

/** One try of an upload. `words`: the message that already carries a caption too long for a file. */
interface Upload {
  readonly form: "photo" | "document";
  readonly replyTo: number | null;
  readonly words: number | null;
}

interface SendFileInput {
  readonly api: Api;
  readonly content: FileContent;
  readonly route: Route;
  readonly signal: ApiSignal;
  readonly readFile: (sha256: string) => Promise<Uint8Array | null>;
}

/** Sends a stored file: as a photo when Telegram takes it for one, else as a document. */
export async function sendFile(input: SendFileInput): Promise<FileSend> {
  const { content, readFile } = input;
  const { file } = content;
  if (file.bytes > LARGEST_FILE) return failed(fileTexts.overTelegramLimit(file.name));
  const bytes = await readFile(file.sha256);
  if (bytes === null) return failed(fileTexts.bytesGone(file.name));
  const asPhoto = PHOTO_TYPES.includes(file.mime) && file.bytes <= LARGEST_PHOTO;
  let plan: Upload = {
    form: asPhoto ? "photo" : "document",
    replyTo: content.replyTo === null ? null : messageNumber(content.replyTo),
    words: null,
  };
  for (;;) {
    try {
      // Words that do not fit under a file go before it: a broken second call must not leave them out.
      if (plan.words === null && content.caption.length > LONGEST_CAPTION)
        plan = { ...plan, words: await sendWords(input) };
      const id = await upload(input, bytes, plan);
      const messageIds = [plan.words, id].filter((it) => it !== null).map(String);
      return { outcome: { outcome: "sent", messageIds } };
    } catch (error) {
      const refusal = readRefusal(error);
      if (refusal.kind === "photo_refused" && plan.form === "photo") plan = { ...plan, form: "document" };
      else if (refusal.kind === "reply_gone" && plan.replyTo !== null) plan = { ...plan, replyTo: null };
      else return { refusal };
    }
  }
}

async function sendWords({ api, content, route, signal }: SendFileInput): Promise<number> {
  const sent = await api.sendMessage(route.to, content.caption, sendThread(route), signal);
  return sent.message_id;
}

async function upload(
  { api, content, route, signal }: SendFileInput,
  bytes: Uint8Array,
  plan: Upload,
): Promise<number> {
  const file = new InputFile(bytes, safeName(content.file.name));
  const caption = plan.words === null && content.caption !== "" ? { caption: content.caption } : {};
  const options = { ...sendThread(route), ...replyParameters(plan.replyTo), ...caption };
  const sent =
    plan.form === "photo"
      ? await api.sendPhoto(route.to, file, options, signal)
      : await api.sendDocument(route.to, file, options, signal);
  return sent.message_id;
}

/** grammY writes the name into a header as it is. */
function safeName(name: string): string {
  return name.replaceAll(/[\r\n";\\/]/g, "_");
}

function failed(reason: string): { readonly outcome: SendOutcome } {
  return { outcome: { outcome: "failed", reason, gone: false, movedTo: null } };
}

/** Fetches an attachment of an inbound message (IN-12). The address holds the token: it is neither logged nor returned. */
export async function fetchFile(
  parts: {
    readonly api: Api;
    readonly transport: Pick<Transport, "download">;
    readonly fileRoot: string;
    readonly filesFolder: string | null;
  },
  attachment: InboundAttachment,
  limits: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<FetchedFile> {
  const { maxBytes, signal } = limits;
  const tooLarge = (bytes: number): FetchedFile => ({
    ok: false,
    reason: fileTexts.tooLarge(bytes, maxBytes),
  });
  if (attachment.bytes !== null && attachment.bytes > maxBytes) return tooLarge(attachment.bytes);
  try {
    const { file_path: path, file_size: size } = await parts.api.getFile(attachment.ref, apiSignal(signal));
    if (size !== undefined && size > maxBytes) return tooLarge(size);
    if (path === undefined) return { ok: false, reason: fileTexts.noDownload("Telegram") };
    const local = await readLocal(path, { folder: parts.filesFolder, maxBytes });
    if (local.result === "too_large") return tooLarge(local.size);
    if (local.result === "denied") return { ok: false, reason: fileTexts.folderUnreadable };
    if (local.result === "read") return { ok: true, bytes: local.bytes, mime: attachment.mime, name: attachment.name };
    const address = `${parts.fileRoot}/${encodeURI(path.replace(/^\/+/, ""))}`;
    const answer = await parts.transport.download(address, { maxBytes, signal });
    if (answer.status !== 200) return { ok: false, reason: `Telegram answered HTTP ${answer.status}` };
    return { ok: true, bytes: answer.bytes, mime: attachment.mime ?? answer.mime, name: attachment.name };
  } catch (error) {
    return { ok: false, reason: readRefusal(error).reason };
  }
}

type LocalFile =
  | { readonly result: "read"; readonly bytes: Uint8Array }
  | { readonly result: "too_large"; readonly size: number }
  | { readonly result: "denied" | "elsewhere" };

/**
 * FC-221: reads what a server on this machine names by an absolute path, when it really lies in its folder. `elsewhere`: it is to
 * be downloaded. The path holds the bot's token, so no error of the file system leaves here.
 */
async function readLocal(
  path: string,
  { folder, maxBytes }: { readonly folder: string | null; readonly maxBytes: number },
): Promise<LocalFile> {
  if (folder === null || !isAbsolute(path)) return { result: "elsewhere" };
  try {
    const [file, root] = await Promise.all([realpath(path), realpath(folder)]);
    if (!file.startsWith(root.endsWith(sep) ? root : root + sep)) return { result: "elsewhere" };
    const { size } = await stat(file);
    return size > maxBytes ? { result: "too_large", size } : { result: "read", bytes: await readFile(file) };
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return { result: error.code === "ENOENT" ? "elsewhere" : "denied" };
  }
}
