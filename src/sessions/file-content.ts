import type { StoredAttachment } from "../core/message/transcript.ts";
import { attachmentTexts } from "../core/texts/agent/attachments.ts";
import { createPdfReader, type ReadPdf } from "./pdf.ts";

/** What of a stored file a model can be given (IN-12, FC-202). */
export type FileContent =
  | { readonly kind: "picture"; readonly bytes: Uint8Array }
  | {
      readonly kind: "text";
      readonly text: string /** Bytes in its middle that were not read; more is read than is shown. */;
      readonly skipped: number;
    }
  | { readonly kind: "unreadable"; readonly reason: string };

export type ReadAttachment = (attachment: StoredAttachment) => Promise<FileContent>;

const PDF_MAX_BYTES = 10 * 1024 * 1024;
const PDF_MAX_PAGES = 50;
/** After this no further page is started. */
const PDF_MAX_MS = 3_000;
const PDF_MAX_CHARACTERS = 256 * 1024;
const KEPT_PDFS = 16;

/** Reads stored files as a model takes them. The newest few PDF files stay read: every step of a turn asks for them again. */
export function createAttachmentReader(get: (sha256: string) => Promise<Uint8Array | null>): ReadAttachment {
  const pdfs = new Map<string, FileContent>();
  const readPages = createPdfReader();
  return async ({ sha256, mime }) => {
    const kept = pdfs.get(sha256);
    if (kept !== undefined) return kept;
    const bytes = await get(sha256);
    if (bytes === null) return unreadable(attachmentTexts.gone);
    const content = await readContent(bytes, mime, readPages);
    if (!isPdf(bytes)) return content;
    pdfs.set(sha256, content);
    for (const oldest of pdfs.keys()) {
      if (pdfs.size <= KEPT_PDFS) break;
      pdfs.delete(oldest);
    }
    return content;
  };
}

/** The bytes decide: a name or a type may say anything. */
export async function readContent(
  bytes: Uint8Array,
  mime: string,
  readPages: ReadPdf = createPdfReader(),
): Promise<FileContent> {
  if (bytes.byteLength === 0) return unreadable(attachmentTexts.empty);
  if (isPdf(bytes)) return readPdf(bytes, readPages);
  const read = decodeText(bytes, mime);
  if (read !== null) return read.text.trim() === "" ? unreadable(attachmentTexts.empty) : { kind: "text", ...read };
  return mime.startsWith("image/") ? { kind: "picture", bytes } : unreadable(attachmentTexts.unknownFormat);
}

/** More of a text's bytes than this are never shown. */
export const MAX_SHOWN_BYTES = 64 * 1024;

/** Whether a stored file may be shown as text, by what is known without its bytes; only for estimates. */
export function shownBytes({ mime, bytes }: StoredAttachment): number {
  return /^(?:image|audio|video|font)\//.test(mime) && mime !== "image/svg+xml" ? 0 : Math.min(bytes, MAX_SHOWN_BYTES);
}

function unreadable(reason: string): FileContent {
  return { kind: "unreadable", reason };
}

function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 5)).toString("latin1") === "%PDF-";
}

/** Control characters that no text has; tab, line feeds and the escape of coloured logs are in texts. */
const NOT_TEXT = /[\u0000-\u0007\u000e-\u001a\u001c-\u001f]/;

/** The text of a file, or null: it is none. By its mark, as UTF-8, as UTF-16 without a mark, last as Windows' Latin letters. */
function decodeText(bytes: Uint8Array, mime: string): TextEnds | null {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return decoded("utf-16le", bytes);
  if (first === 0xfe && second === 0xff) return decoded("utf-16be", bytes);
  if (first === 0xef && second === 0xbb && third === 0xbf) return decoded("utf-8", bytes);
  const zeros = zeroPlaces(bytes);
  if (zeros !== null) return decoded(zeros === "odd" ? "utf-16le" : "utf-16be", bytes);
  const text = decoded("utf-8", bytes);
  if (text !== null) return text;
  // Almost any bytes are Latin letters of some kind, so here the type has to say that it is text, or no byte may be odd.
  return /^(?:image|audio|video|font)\//.test(mime) ? null : decoded("windows-1252", bytes);
}

/** The beginning and the end of a text; a short one is whole. */
interface TextEnds {
  readonly text: string;
  /** Bytes between the two that were not read. */
  readonly skipped: number;
}

/** More at each end than is ever shown in all: the bytes between would cost time at every step of a turn (FC-402). */
const END_BYTES = 2 * MAX_SHOWN_BYTES;

function decoded(charset: string, bytes: Uint8Array): TextEnds | null {
  const isLong = bytes.byteLength > 2 * END_BYTES;
  const from = isLong ? letterAt(charset, bytes, bytes.byteLength - END_BYTES) : bytes.byteLength;
  const to = isLong ? END_BYTES : bytes.byteLength;
  try {
    const head = new TextDecoder(charset, { fatal: true }).decode(bytes.subarray(0, to), { stream: isLong });
    const tail = new TextDecoder(charset, { fatal: true }).decode(bytes.subarray(from));
    const text = head + tail;
    return NOT_TEXT.test(text) ? null : { text, skipped: from - to };
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Where a letter begins, at the place or soon after it. */
function letterAt(charset: string, bytes: Uint8Array, place: number): number {
  let at = place;
  if (charset === "utf-8") for (; ((bytes[at] ?? 0) & 0xc0) === 0x80 && at < place + 3; ) at += 1;
  if (!charset.startsWith("utf-16")) return at;
  at -= at % 2;
  const high = bytes[charset === "utf-16le" ? at + 1 : at] ?? 0;
  return high >= 0xdc && high <= 0xdf ? at + 2 : at;
}

/** UTF-16 of mostly Latin letters has a zero in every second place and none between. */
function zeroPlaces(bytes: Uint8Array): "odd" | "even" | null {
  const sample = bytes.subarray(0, 1_024);
  if (sample.length < 4) return null;
  let even = 0;
  let odd = 0;
  for (const [at, byte] of sample.entries()) {
    if (byte !== 0) continue;
    if (at % 2 === 0) even += 1;
    else odd += 1;
  }
  const many = sample.length / 2 / 2;
  if (odd > many && even === 0) return "odd";
  return even > many && odd === 0 ? "even" : null;
}

async function readPdf(bytes: Uint8Array, readPages: ReadPdf): Promise<FileContent> {
  if (bytes.byteLength > PDF_MAX_BYTES) return unreadable(attachmentTexts.pdfTooLarge(bytes.byteLength, PDF_MAX_BYTES));
  const read = await readPages({
    bytes,
    maxPages: PDF_MAX_PAGES,
    maxCharacters: PDF_MAX_CHARACTERS,
    untilMs: PDF_MAX_MS,
  });
  if (read === "broken") return unreadable(attachmentTexts.pdfBroken);
  if (read === "heavy") return unreadable(attachmentTexts.pdfTooHeavy);
  const { pages, of } = read;
  const text = pages.join("\n\n").trim();
  if (text === "") return unreadable(attachmentTexts.pdfWithoutText);
  const left = pages.length < of ? `\n${attachmentTexts.pdfPagesLeft(pages.length, of)}` : "";
  return { kind: "text", text: text + left, skipped: 0 };
}
