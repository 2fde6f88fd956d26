import type { HostFiles } from "../../src/channel/adapter.ts";
import type { StoredAttachment } from "../../src/core/message/transcript.ts";
import { pageProblems } from "../../src/core/texts/page.ts";
import { sniffImage } from "./file-types.ts";

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
