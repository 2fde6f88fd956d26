import type { Api } from "grammy";
import type { Update } from "grammy/types";
import type { AdapterHost } from "../../../src/channel/adapter.ts";
import type { Health } from "../../../src/channel/intake.ts";
import { reconnectMs } from "../../../src/channel/single-connection.ts";
import type { AccountSettings } from "../../../src/core/settings.ts";
import { accountTexts, telegramAccountTexts } from "../../../src/core/texts/platforms/accounts.ts";
import { pause } from "../../../src/core/time.ts";
import { readRefusal, tokenRefused } from "../errors.ts";
import { ALLOWED_UPDATES } from "../inbound/inbound.ts";
import type { TelegramIntake } from "../inbound/intake.ts";
import { apiSignal } from "./transport.ts";

/**
 * How long Telegram holds a poll without news. Short, because a poll on a connection that died silently is only given up
 * somewhat later (see transport.ts): an account says so within 5 s, and is back within 10 s (CH-5).
 */
const POLL_SECONDS = 2;
/** Two pollers of one token throw each other out in turns; after this many successful polls the other one has stopped. */
const CALM_POLLS = 2;
const BATCH = 100;
/** How long a stop waits for the last confirmation. */
const CONFIRM_MS = 2_000;

export interface PollingParts {
  readonly api: Api;
  readonly intake: Pick<TelegramIntake, "take">;
  readonly account: AccountSettings;
  readonly host: Pick<AdapterHost, "log" | "platformClock">;
  readonly health: Health;
  readonly signal: AbortSignal;
}

/**
 * Long polling whose offset never passes an update that is not stored (IN-3, FC-076): a batch is handed in, and only when
 * every update of it is stored or parked the next call confirms it. The runner of grammY raises its offset past updates
 * that are still being worked on, and `bot.start` counts one as done when its handler was only tried, one after the other;
 * so the loop is our own, over grammY's Api.
 *
 * The offset is said once, in the call after its batch, and kept nowhere: Telegram itself knows what is confirmed. So an
 * offset of another bot, or one from before Telegram renumbered, can never make the account deaf (FC-077), and a start gets
 * exactly what was not confirmed. What comes twice is caught by its identity (IN-2).
 *
 * Returns when called off or when the token is refused. Never throws.
 */
export async function pollUpdates({ api, intake, account, host, health, signal }: PollingParts): Promise<void> {
  const { log } = host;
  /** Nothing waits at Telegram: what the next poll brings has just been sent. */
  let isLive = false;
  let confirming = 0;
  let failures = 0;
  let untilCalm = 0;
  // The first call returns immediately: it proves the connection and fetches what waited.
  let timeout = 0;
  while (!signal.aborted) {
    try {
      const batch = await api.getUpdates(
        { offset: confirming, limit: BATCH, timeout, allowed_updates: ALLOWED_UPDATES },
        apiSignal(signal),
      );
      // Their numbers are the order of a chat, and the highest is what may be confirmed, in any order of the batch.
      const updates = batch.toSorted((one, other) => one.update_id - other.update_id);
      if (isLive) hearSent(updates);
      isLive = updates.length === 0;
      failures = 0;
      timeout = POLL_SECONDS;
      confirming = 0;
      if (untilCalm > 0) untilCalm -= 1;
      if (untilCalm === 0) health.connection("ready");
      if (await storeAll(updates)) confirming = (updates.at(-1)?.update_id ?? -1) + 1;
    } catch (error) {
      if (signal.aborted) break;
      failures += 1;
      isLive = false;
      if (!(await recover(error, failures))) return;
    }
  }
  if (confirming > 0 && failures === 0) await confirm(confirming);

  /** A Bot API server of one's own sends no `Date` header (FC-320). */
  function hearSent(updates: readonly Update[]): void {
    const sent = updates.flatMap(({ message, channel_post: post }) => message?.date ?? post?.date ?? []);
    if (sent.length > 0) host.platformClock.happened(Math.max(...sent) * 1_000);
  }

  /** False: the account was stopped before all of the batch was stored, so none of it may be confirmed. */
  async function storeAll(updates: readonly Update[]): Promise<boolean> {
    const taken = await Promise.allSettled(updates.map((update) => intake.take(update)));
    const failed = taken.find((one) => one.status === "rejected");
    if (failed !== undefined && !signal.aborted) throw failed.reason;
    return failed === undefined;
  }

  /** False: only the operator can help. */
  async function recover(error: unknown, failed: number): Promise<boolean> {
    const refusal = readRefusal(error);
    switch (refusal.kind) {
      case "unauthorized": {
        const reason = tokenRefused(account).message;
        log.debug({ err: error }, reason);
        health.connection("failed", reason);
        return false;
      }
      case "conflict":
        if (refusal.webhook) return await dropWebhook();
        untilCalm = CALM_POLLS;
        health.connection("reconnecting", telegramAccountTexts.anotherPoller);
        await pause(reconnectMs(failed), signal);
        return true;
      case "rate_limited":
        health.connection("reconnecting", refusal.reason);
        await pause(refusal.afterMs, signal);
        return true;
      default:
        health.connection("reconnecting", accountTexts.unreachable("Telegram", refusal.reason));
        await pause(reconnectMs(failed), signal);
        return true;
    }
  }

  /** A webhook was left over from another set-up; what waits for it is kept (FC-148). */
  async function dropWebhook(): Promise<true> {
    health.connection("reconnecting", telegramAccountTexts.webhookRemoved);
    log.warn({}, "a webhook was set for this bot; it is removed, since this account polls");
    await api.deleteWebhook({ drop_pending_updates: false }, apiSignal(signal)).catch(async (error: unknown) => {
      log.warn({ err: error }, "the webhook could not be removed");
      await pause(reconnectMs(2), signal);
    });
    return true;
  }

  /** Confirms the last batch, so that a next start does not fetch it again. Failing costs nothing but that. */
  async function confirm(upTo: number): Promise<void> {
    await api
      .getUpdates({ offset: upTo, limit: 1, timeout: 0 }, apiSignal(AbortSignal.timeout(CONFIRM_MS)))
      .catch((error: unknown) => {
        log.debug({ err: error }, "the last updates were not confirmed; they will come again");
      });
  }
}
