import type { UploadedFile } from "./body.ts";

interface Part {
  name: string;
  filename: string | null;
  contentType: string | null;
  bytes: Buffer;
}

function headerValue(headers: string, pattern: RegExp): string | null {
  return pattern.exec(headers)?.[1] ?? null;
}

function parsePart(raw: Buffer): Part | null {
  const end = raw.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const headers = raw.subarray(0, end).toString("utf8");
  const name = headerValue(headers, /;\s*name="([^"]*)"/i);
  if (name === null) return null;
  return {
    name,
    // Quoted as the standard says, or bare up to the line's end, as some clients (grammY) write it.
    filename:
      headerValue(headers, /;\s*filename="([^"]*)"/i) ?? headerValue(headers, /;\s*filename=([^"\r\n][^\r\n]*)/i),
    contentType: headerValue(headers, /^content-type:\s*([^\r\n]+)/im),
    bytes: raw.subarray(end + 4),
  };
}

/** Splits a multipart/form-data body into string fields and files (by part name). */
export function parseMultipart(
  body: Buffer,
  boundary: string,
): { fields: Record<string, unknown>; files: Map<string, UploadedFile> } {
  const fields: Record<string, unknown> = {};
  const files = new Map<string, UploadedFile>();
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // A leading CRLF makes the first delimiter look like the others.
  const whole = Buffer.concat([Buffer.from("\r\n"), body]);
  let from = whole.indexOf(delimiter);
  while (from >= 0) {
    const start = from + delimiter.length;
    const next = whole.indexOf(delimiter, start);
    if (next < 0) break;
    const part = parsePart(whole.subarray(start + 2, next));
    if (part?.filename != null) {
      files.set(part.name, {
        name: part.filename,
        mimeType: part.contentType ?? "application/octet-stream",
        bytes: Buffer.from(part.bytes),
      });
    } else if (part !== null) {
      fields[part.name] = part.bytes.toString("utf8");
    }
    from = next;
  }
  return { fields, files };
}
