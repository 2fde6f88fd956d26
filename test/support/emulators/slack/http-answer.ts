import type { ServerResponse } from "node:http";
import type { Refusal } from "./refusal.ts";

/** Answers with JSON, or with a text as it is. */
export function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** Answers `{ok: false, error}` as the platform does. */
export function answerRefusal(response: ServerResponse, refusal: Refusal): void {
  const headers = refusal.retryAfter === undefined ? {} : { "retry-after": String(refusal.retryAfter) };
  answer(response, refusal.status, { ok: false, error: refusal.error, ...refusal.extra }, headers);
}
