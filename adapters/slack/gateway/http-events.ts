import { createHmac, timingSafeEqual } from "node:crypto";
import type { HttpHandler } from "../../../src/channel/adapter.ts";
import { inTime } from "../../../src/channel/intake.ts";
import type { Clock, Logger } from "../../../src/core/runtime.ts";
import type { SlackIntake } from "../inbound/intake.ts";
import { isSuggestion } from "./envelopes.ts";

/** CH-2: a request that was signed longer ago, or in the future, may be a replay. */
const WINDOW_MS = 5 * 60_000;

export function eventsPath(accountId: string): string {
  return accountId === "default" ? "/slack/events" : `/slack/events/${accountId}`;
}

/**
 * Takes what Slack posts. It is Slack's only with the right signature over the raw body. 200 to an event is said only when it
 * is stored (IN-3): anything else makes Slack send it again. Everything a person waits for is answered first.
 */
export function eventsHandler(parts: {
  readonly signingSecret: string;
  readonly intake: SlackIntake;
  readonly clock: Clock;
  readonly log: Logger;
  readonly stopped: AbortSignal;
}): HttpHandler {
  const { signingSecret, intake, clock, log, stopped } = parts;

  async function event(body: unknown): Promise<Response> {
    if (isRecord(body) && body.type === "url_verification") return Response.json({ challenge: body.challenge });
    if (!isRecord(body) || body.type !== "event_callback") return status(200);
    try {
      const work = intake.take(body);
      const isStored = await inTime(work);
      if (!isStored) work.catch((error: unknown) => log.debug({ err: error }, "a late event was not stored"));
      return status(isStored ? 200 : 503);
    } catch (error) {
      log.warn({ err: error }, "an event is not stored yet; Slack will send it again");
      return status(503);
    }
  }

  async function form(raw: string): Promise<Response> {
    const fields = Object.fromEntries(new URLSearchParams(raw));
    const interaction = fields.payload === undefined ? undefined : parseJson(fields.payload);
    if (isSuggestion(interaction)) return Response.json({ options: await intake.options(interaction) });
    if (isRecord(interaction) && interaction.type === "block_actions") {
      intake.takeChoice(interaction).catch((error: unknown) => log.warn({ err: error }, "a choice was not stored"));
    }
    if (fields.command !== undefined) {
      intake.takeSlash(fields).catch((error: unknown) => log.warn({ err: error }, "a slash command was not stored"));
    }
    return status(200);
  }

  return async (request) => {
    if (stopped.aborted) return status(503);
    if (request.method !== "POST") return status(405);
    // Before the body: what cannot be signed is not read (FC-401).
    if (!isPlausible(request.headers, clock.now())) return status(401);
    const raw = await request.text();
    if (!isSigned(request.headers, raw, { signingSecret, now: clock.now() })) return status(401);
    if (request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded") === true)
      return await form(raw);
    const body = parseJson(raw);
    return body === undefined ? status(400) : await event(body);
  };
}

/** The headers of a request that Slack may have signed just now. */
function isPlausible(headers: Headers, now: number): boolean {
  const timestamp = headers.get("x-slack-request-timestamp") ?? "";
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp) * 1000) > WINDOW_MS) return false;
  return /^v0=[0-9a-f]{64}$/.test(headers.get("x-slack-signature") ?? "");
}

/** Slack's v0 signature. Digests are compared, so that nothing can be learned from the time it takes. */
export function isSigned(
  headers: Headers,
  raw: string,
  { signingSecret, now }: { readonly signingSecret: string; readonly now: number },
): boolean {
  const timestamp = headers.get("x-slack-request-timestamp") ?? "";
  const given = headers.get("x-slack-signature") ?? "";
  if (!isPlausible(headers, now)) return false;
  const wanted = `v0=${createHmac("sha256", signingSecret).update(`v0:${timestamp}:${raw}`).digest("hex")}`;
  const digest = (text: string): Buffer => createHmac("sha256", signingSecret).update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

function parseJson(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function status(code: number): Response {
  return new Response(null, { status: code });
}
