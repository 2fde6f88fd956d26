import type { Api } from "grammy";
import type { Update } from "grammy/types";
import type { AccountState } from "../../../src/channel/adapter.ts";
import { backoffMs, pause } from "../../../src/channel/backoff.ts";
import type { Logger } from "../../../src/core/runtime.ts";
import type { AccountSettings } from "../../../src/core/settings.ts";
import { readRefusal, tokenRefused } from "../errors.ts";
import { ALLOWED_UPDATES } from "../inbound/inbound.ts";
import { type Intake, orderKey } from "../inbound/intake.ts";
import { apiSignal } from "./transport.ts";

/**
 * How long Telegram holds a poll without news. Short, because a poll on a connection that died silently is only given up
 * somewhat later (see transport.ts): an account says so within 5 s, and is back within 10 s (CH-5).
 */
const POLL_SECONDS = 2;
/** Two pollers of one token throw each other out in turns; so many polls must have gone well before the other is gone. */
const CALM_POLLS = 2;
const BATCH = 100;
/** How long a stop waits for the last confirmation. */
const CONFIRM_MS = 2_000;

export interface PollingParts {
  readonly api: Api;
  readonly intake: Intake;
  readonly account: AccountSettings;
  readonly log: Logger;
  readonly report: (state: AccountState, error?: string) => void;
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
export async function pollUpdates({ api, intake, account, log, report, signal }: PollingParts): Promise<void> {
  let confirming = 0;
  let failures = 0;
  let untilCalm = 0;
  // The first call returns at once: it proves the connection and fetches what waited.
  let timeout = 0;
  while (!signal.aborted) {
    try {
      const batch = await api.getUpdates(
        { offset: confirming, limit: BATCH, timeout, allowed_updates: ALLOWED_UPDATES },
        apiSignal(signal),
      );
      // Their numbers are the order of a chat, and the highest is what may be confirmed, whatever the order of the batch.
      const updates = batch.toSorted((one, other) => one.update_id - other.update_id);
      failures = 0;
      timeout = POLL_SECONDS;
      confirming = 0;
      if (untilCalm > 0) untilCalm -= 1;
      if (untilCalm === 0) report("ready");
      if (await storeAll(updates)) confirming = (updates.at(-1)?.update_id ?? -1) + 1;
    } catch (error) {
      if (signal.aborted) break;
      failures += 1;
      if (!(await recover(error, failures))) return;
    }
  }
  if (confirming > 0 && failures === 0) await confirm(confirming);

  /** Holds the batch until all of it is stored; what failed waits in the order of its chat. False: called off before. */
  async function storeAll(updates: readonly Update[]): Promise<boolean> {
    let left = updates;
    for (let rounds = 1; left.length > 0; rounds += 1) {
      const unstored = await Promise.all(byChat(left).map(storeInOrder));
      left = unstored.flat();
      if (signal.aborted) return left.length === 0;
      if (left.length === 0) break;
      report("degraded", "messages cannot be stored at the moment");
      await pause(backoffMs(rounds), signal);
    }
    if (untilCalm === 0) report("ready");
    return true;
  }

  /** One chat's updates, one after the other; from the first that cannot be stored on, they are returned. */
  async function storeInOrder(updates: readonly Update[]): Promise<readonly Update[]> {
    for (const [index, update] of updates.entries()) {
      if (signal.aborted) return updates.slice(index);
      try {
        await intake.take(update);
      } catch (error) {
        log.warn({ err: error, update: update.update_id }, "an update is not stored yet");
        return updates.slice(index);
      }
    }
    return [];
  }

  /** False: only the operator can help. */
  async function recover(error: unknown, failed: number): Promise<boolean> {
    const refusal = readRefusal(error);
    switch (refusal.kind) {
      case "unauthorized": {
        const reason = tokenRefused(account).message;
        log.debug({ err: error }, reason);
        report("failed", reason);
        return false;
      }
      case "conflict":
        if (refusal.webhook) return await dropWebhook();
        untilCalm = CALM_POLLS;
        report(
          "reconnecting",
          "another poller uses this bot token: a second Switchyard, another program, or a just stopped one",
        );
        await pause(backoffMs(failed), signal);
        return true;
      case "rate_limited":
        report("reconnecting", refusal.reason);
        await pause(refusal.afterMs, signal);
        return true;
      default:
        report("reconnecting", `Telegram cannot be reached: ${refusal.reason}`);
        await pause(backoffMs(failed), signal);
        return true;
    }
  }

  /** A webhook was left over from another set-up; what waits for it is kept (FC-148). */
  async function dropWebhook(): Promise<true> {
    report("reconnecting", "a webhook was set for this bot; it is being removed, since this account polls");
    log.warn({}, "a webhook was set for this bot; it is removed, since this account polls");
    await api.deleteWebhook({ drop_pending_updates: false }, apiSignal(signal)).catch(async (error: unknown) => {
      log.warn({ err: error }, "the webhook could not be removed");
      await pause(backoffMs(2), signal);
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

function byChat(updates: readonly Update[]): readonly (readonly Update[])[] {
  const groups = new Map<string, Update[]>();
  for (const update of updates) {
    const key = orderKey(update);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [update]);
    else group.push(update);
  }
  return [...groups.values()];
}
