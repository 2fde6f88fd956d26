import type { Delivery, SendOutcome } from "../core/delivery/delivery.ts";
import type { Logger } from "../core/runtime.ts";
import { deliveryRules } from "../core/texts/rules.ts";
import type { Timers } from "../core/time.ts";
import type { DeliveryAccount } from "./pacing.ts";

const HANG_GRACE_MS = 10_000;

export interface HandOverParts {
  readonly timers: Timers;
  readonly log: Logger;
  /** How long one send may take before its outcome counts as unknown. Default 60 s. */
  readonly sendTimeoutMs?: number;
}

type HandOver = (account: DeliveryAccount, delivery: Delivery, signal: AbortSignal) => Promise<SendOutcome>;

/** Hands one delivery to its adapter. DL-8: an edit notifies no one, so what mentions people is posted in place of its preview. */
export function createHandOver(parts: HandOverParts): HandOver {
  const guardedSend = createGuardedSend(parts);
  const { log } = parts;
  return async (account, delivery, signal) => {
    const { content, messageIds } = delivery;
    const replaces = content.kind === "message" && content.piece.notifies === true && messageIds.length > 0;
    if (!replaces) return await guardedSend(account, delivery, signal);
    const posted = await guardedSend(account, { ...delivery, key: `${delivery.key}:posted`, messageIds: [] }, signal);
    if (posted.outcome !== "sent") return posted;
    const removed = await guardedSend(account, { ...delivery, content: { kind: "delete" } }, signal);
    if (removed.outcome !== "sent") log.warn({ delivery: delivery.id, reason: removed.reason }, "a preview was left");
    return posted;
  };
}

/** An adapter never throws and obeys its signal; one that breaks this leaves an unknown outcome, not a stuck lane. */
function createGuardedSend({ timers, log, sendTimeoutMs = 60_000 }: HandOverParts): HandOver {
  return async (account, delivery, stop) => {
    const limit = new AbortController();
    const cancelLimit = timers.after(sendTimeoutMs, () => limit.abort());
    let cancelHang = (): void => undefined;
    const hang = new Promise<SendOutcome>((resolve) => {
      cancelHang = timers.after(sendTimeoutMs + HANG_GRACE_MS, () =>
        resolve({ outcome: "unknown", left: true, reason: deliveryRules.neverEnded }),
      );
    });
    try {
      return await Promise.race([account.adapter.send(delivery, AbortSignal.any([limit.signal, stop])), hang]);
    } catch (error) {
      log.error({ err: error, delivery: delivery.id }, "an adapter threw while sending");
      return { outcome: "unknown", left: true, reason: error instanceof Error ? error.message : String(error) };
    } finally {
      cancelLimit();
      cancelHang();
    }
  };
}
