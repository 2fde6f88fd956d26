import { createHash, timingSafeEqual } from "node:crypto";
import type { Api } from "grammy";
import type { Update } from "grammy/types";
import type { HttpHandler } from "../../../src/channel/adapter.ts";
import type { Health } from "../../../src/channel/intake.ts";
import { inTime } from "../../../src/channel/intake.ts";
import type { Logger } from "../../../src/core/runtime.ts";
import { accountTexts, telegramAccountTexts } from "../../../src/core/texts/platforms/accounts.ts";
import { pause } from "../../../src/core/time.ts";
import type { TelegramConfig } from "../config.ts";
import { readRefusal } from "../errors.ts";
import { ALLOWED_UPDATES } from "../inbound/inbound.ts";
import type { TelegramIntake } from "../inbound/intake.ts";
import { apiSignal } from "./transport.ts";

type WebhookConfig = NonNullable<TelegramConfig["webhook"]>;

const SECRET_HEADER = "x-telegram-bot-api-secret-token";
const CHECK_MS = 60_000;

export function webhookPath(config: WebhookConfig, accountId: string): string {
  return config.path ?? `/telegram/webhook/${accountId}`;
}

/** Tells Telegram where to send updates. It repeats what it was told before without harm. Rejects as the API does. */
export async function setWebhook(api: Api, config: WebhookConfig, signal: AbortSignal): Promise<void> {
  const options = { secret_token: config.secretToken, allowed_updates: ALLOWED_UPDATES, drop_pending_updates: false };
  await api.setWebhook(config.url, options, apiSignal(signal));
}

/**
 * Takes Telegram's calls. 200 is said only when the update is stored (IN-3): anything else makes Telegram send it again.
 * A call is Telegram's only with the secret (CH-3).
 */
export function webhookHandler(parts: {
  readonly config: WebhookConfig;
  readonly intake: Pick<TelegramIntake, "take">;
  readonly log: Logger;
  readonly stopped: AbortSignal;
}): HttpHandler {
  const { config, intake, log, stopped } = parts;
  return async (request) => {
    if (stopped.aborted) return status(503);
    if (request.method !== "POST") return status(405);
    if (!sameSecret(request.headers.get(SECRET_HEADER) ?? "", config.secretToken)) return status(401);
    const update = await readBody(request);
    if (update === null) return status(400);
    const late = (error: unknown): void =>
      log.debug({ err: error, update: update.update_id }, "an update is not stored; Telegram sends it again");
    try {
      const work = intake.take(update);
      if (await inTime(work)) return status(200);
      work.catch(late);
    } catch (error) {
      late(error);
    }
    return status(503);
  };
}

/** Looks once a minute whether the webhook still stands, and whether Telegram reaches it: silence would prove neither (CH-5). */
export async function watchWebhook(parts: {
  readonly api: Api;
  readonly config: WebhookConfig;
  readonly log: Logger;
  readonly health: Health;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { api, config, log, health, signal } = parts;
  while (!signal.aborted) {
    await pause(CHECK_MS, signal);
    if (signal.aborted) return;
    try {
      const info = await api.getWebhookInfo(apiSignal(signal));
      if (info.url !== config.url) {
        log.warn({}, "another program changed this bot's webhook; it is set again");
        await setWebhook(api, config, signal);
      }
      const failing = info.pending_update_count > 0 ? info.last_error_message : undefined;
      if (failing === undefined) health.connection("ready");
      else health.connection("degraded", telegramAccountTexts.webhookFailing(failing));
    } catch (error) {
      if (!signal.aborted)
        health.connection("reconnecting", accountTexts.unreachable("Telegram", readRefusal(error).reason));
    }
  }
}

/** Compares digests, so that neither content nor length can be learned from the time it takes. */
function sameSecret(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

async function readBody(request: Request): Promise<Update | null> {
  try {
    const body: unknown = await request.json();
    const isUpdate =
      typeof body === "object" && body !== null && "update_id" in body && typeof body.update_id === "number";
    return isUpdate ? (body as Update) : null;
  } catch {
    return null;
  }
}

function status(code: number): Response {
  return new Response(null, { status: code });
}
