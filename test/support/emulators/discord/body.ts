import type { UploadedFile } from "../body.ts";
import { parseMultipart } from "../multipart.ts";
import { badRequest } from "./refusal.ts";

export interface ParsedBody {
  /** The JSON of the request; null when there is none. */
  json: unknown;
  /** Uploaded files by the number in their part's name: `files[0]`. */
  files: Map<number, UploadedFile>;
}

function parseJson(text: string): unknown {
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest(50109, "The request body contains invalid JSON.");
  }
}

/** A request's body: JSON, or multipart with JSON in `payload_json` and files (Reference, uploading files). */
export function parseBody(contentType: string | undefined, body: Buffer): ParsedBody {
  const type = contentType ?? "";
  if (!type.toLowerCase().startsWith("multipart/form-data")) {
    return { json: parseJson(body.toString("utf8")), files: new Map() };
  }
  const boundary = /boundary="?([^";]+)"?/i.exec(type)?.[1];
  if (boundary === undefined) throw badRequest(50035, "Invalid Form Body");
  const parts = parseMultipart(body, boundary);
  const files = new Map<number, UploadedFile>();
  for (const [name, file] of parts.files) {
    const number = /^files?\[(\d+)\]$/.exec(name)?.[1];
    if (number !== undefined) files.set(Number(number), file);
  }
  const { payload_json, ...fields } = parts.fields;
  return { json: typeof payload_json === "string" ? parseJson(payload_json) : fields, files };
}
