import { createHmac } from "node:crypto";
import { request } from "node:http";
import type { Attempt, AttemptResult, FailureReason } from "./delivery.ts";
import type { AppRecord } from "./records.ts";

/** How a request is signed: rightly, with a wrong secret, not at all, or with a time of `ageSeconds` ago. */
export interface Signing {
  signature?: "right" | "wrong" | "missing";
  ageSeconds?: number;
}

export interface PostedAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

const RETRY_REASONS: Record<FailureReason, string> = {
  timeout: "http_timeout",
  http_error: "http_error",
  connection_failed: "connection_failed",
};

/** `X-Slack-Signature` and its timestamp: an HMAC over the raw body, as the platform makes it. */
export function signatureHeaders(
  secret: string,
  body: string,
  nowMs: number,
  how: Signing = {},
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000) - (how.ageSeconds ?? 0));
  const key = how.signature === "wrong" ? `${secret}-another` : secret;
  const digest = createHmac("sha256", key).update(`v0:${timestamp}:${body}`).digest("hex");
  return {
    "x-slack-request-timestamp": timestamp,
    ...(how.signature === "missing" ? {} : { "x-slack-signature": `v0=${digest}` }),
  };
}

/** Posts a body; rejects when there is no answer within `withinMs`. */
export function postBody(
  url: string,
  body: string,
  headers: Record<string, string>,
  withinMs: number,
): Promise<PostedAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method: "POST",
        agent: false,
        headers: { ...headers, "content-length": Buffer.byteLength(body), "user-agent": "Slackbot 1.0 (emulated)" },
        signal: AbortSignal.timeout(withinMs),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString("utf8"),
          }),
        );
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** The body of a payload as the platform posts it: JSON for events, forms for everything a person does. */
export function bodyOf(kind: Attempt["kind"], payload: Record<string, unknown>): { type: string; body: string } {
  if (kind === "events_api") return { type: "application/json", body: JSON.stringify(payload) };
  const form = new URLSearchParams();
  if (kind === "interactive") form.set("payload", JSON.stringify(payload));
  else for (const [name, value] of Object.entries(payload)) form.set(name, String(value));
  return { type: "application/x-www-form-urlencoded", body: form.toString() };
}

/** What an app answered to an interaction: JSON, or a plain text to show. */
function asResponse(body: string): Record<string, unknown> {
  if (body.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch (error) {
    // Plain text is a valid answer; anything but a syntax error is not expected here.
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { text: body };
}

/** One try at bringing a payload to an app's request URL. */
export async function deliverToUrl(
  app: AppRecord,
  url: string,
  attempt: Attempt,
  options: { nowMs: number; ackMs: number },
): Promise<AttemptResult> {
  const { type, body } = bodyOf(attempt.kind, attempt.payload);
  const retried: Record<string, string> =
    attempt.retryReason === null
      ? {}
      : { "x-slack-retry-num": String(attempt.retry), "x-slack-retry-reason": RETRY_REASONS[attempt.retryReason] };
  const headers = { "content-type": type, ...retried, ...signatureHeaders(app.signingSecret, body, options.nowMs) };
  try {
    const answer = await postBody(url, body, headers, options.ackMs);
    if (answer.status >= 200 && answer.status < 300) return { ok: true, response: asResponse(answer.body) };
    const noRetry = answer.headers["x-slack-no-retry"] === "1";
    return { ok: false, reason: "http_error", ...(noRetry ? { noRetry } : {}) };
  } catch (error) {
    const timedOut = error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError");
    return { ok: false, reason: timedOut ? "timeout" : "connection_failed" };
  }
}

/** The handshake with which the platform checks a request URL. */
export async function verifyUrl(app: AppRecord, url: string, options: { nowMs: number; ackMs: number }): Promise<void> {
  const challenge = `challenge-${app.id}-${options.nowMs}`;
  const body = JSON.stringify({ token: "emulated-verification-token", challenge, type: "url_verification" });
  const headers = { "content-type": "application/json", ...signatureHeaders(app.signingSecret, body, options.nowMs) };
  const answer = await postBody(url, body, headers, options.ackMs);
  const given = answer.body.trim().startsWith("{") ? asResponse(answer.body).challenge : answer.body.trim();
  if (answer.status !== 200 || given !== challenge) {
    throw new Error(`the request URL did not answer the challenge: ${answer.status} ${answer.body}`);
  }
}
