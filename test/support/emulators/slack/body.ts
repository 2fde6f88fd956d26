import { parseMultipart } from "../multipart.ts";
import { refused } from "./refusal.ts";

function parseJson(body: Buffer): Record<string, unknown> {
  if (body.length === 0) return {};
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    throw refused("invalid_json");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw refused("json_not_object");
  return value as Record<string, unknown>;
}

/** Arguments of a request: the query string, then the body as form, multipart form or JSON. */
export function parseBody(type: string | undefined, body: Buffer, query: URLSearchParams): Record<string, unknown> {
  const args: Record<string, unknown> = Object.fromEntries(query);
  const kind = (type ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  switch (kind) {
    case "application/x-www-form-urlencoded":
      return Object.assign(args, Object.fromEntries(new URLSearchParams(body.toString("utf8"))));
    case "application/json":
      return Object.assign(args, parseJson(body));
    case "multipart/form-data": {
      const boundary = /boundary="?([^";]+)"?/i.exec(type ?? "")?.[1];
      if (boundary === undefined) throw refused("invalid_form_data");
      return Object.assign(args, parseMultipart(body, boundary).fields);
    }
    case "":
      if (body.length === 0) return args;
      throw refused("missing_post_type");
    default:
      throw refused("invalid_post_type");
  }
}

/** The bytes of an uploaded file: the first part of a multipart form, or the whole body. */
export function uploadedBytes(type: string | undefined, body: Buffer): Buffer {
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)"?/i.exec(type ?? "")?.[1];
  if (boundary === undefined) {
    // The client library sends text content as a form with the one field `body`.
    const form = /^application\/x-www-form-urlencoded/i.test(type ?? "") ? new URLSearchParams(body.toString()) : null;
    const text = form?.get("body");
    return text === null || text === undefined ? body : Buffer.from(text, "utf8");
  }
  const [part] = parseMultipart(body, boundary).files.values();
  return part?.bytes ?? Buffer.alloc(0);
}
