import type { UploadedFile } from "../body.ts";
import { parseMultipart } from "../multipart.ts";
import { badRequest } from "./refusal.ts";

export interface ParsedBody {
  /** Top-level parameters as they came: JSON values, or strings from forms and the query. */
  params: Record<string, unknown>;
  /** Uploaded parts by part name; a parameter refers to one as `attach://<name>`. */
  files: Map<string, UploadedFile>;
}

function parseJson(body: Buffer): Record<string, unknown> {
  if (body.length === 0) return {};
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    throw badRequest("can't parse JSON object");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw badRequest("object expected");
  return value as Record<string, unknown>;
}

/** Parameters of a request: the query string, then the body in any of the three encodings the Bot API accepts. */
export function parseBody(contentType: string | undefined, body: Buffer, query: URLSearchParams): ParsedBody {
  const params: Record<string, unknown> = Object.fromEntries(query);
  const type = (contentType ?? "").toLowerCase();
  if (type.startsWith("multipart/form-data")) {
    const boundary = /boundary="?([^";]+)"?/i.exec(contentType ?? "")?.[1];
    if (boundary === undefined) throw badRequest("boundary not found");
    const { fields, files } = parseMultipart(body, boundary);
    Object.assign(params, fields);
    // A file part named like a parameter is that parameter.
    for (const name of files.keys()) if (!isAttached(name, fields)) params[name] ??= `attach://${name}`;
    return { params, files };
  }
  if (type.startsWith("application/x-www-form-urlencoded")) {
    Object.assign(params, Object.fromEntries(new URLSearchParams(body.toString("utf8"))));
  } else {
    Object.assign(params, parseJson(body));
  }
  return { params, files: new Map() };
}

function isAttached(partName: string, fields: Record<string, unknown>): boolean {
  return Object.values(fields).some((value) => typeof value === "string" && value.includes(`attach://${partName}`));
}
