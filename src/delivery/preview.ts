import type { Route } from "../core/delivery/delivery.ts";
import { type Delivery, type RenderedPiece, turnDeliveryKey } from "../core/delivery/delivery.ts";
import type { RunId } from "../core/ids.ts";
import type { Clock, Logger } from "../core/runtime.ts";
import type { SessionKey } from "../core/session/session-key.ts";
import type { TurnFence } from "../core/session/turn.ts";
import { pause, type Timers } from "../core/time.ts";
import { deliveryByKey } from "../store/reads/delivery/deliveries.ts";
import { beginPreview } from "../store/steps/delivery/begin-preview.ts";
import type { Store } from "../store/store.ts";
import type { Pacer } from "./pacing.ts";
import { type DeliveryAccount, pacedConversation } from "./pacing.ts";
import { messageDelivery, preparePreview } from "./way-out.ts";

export interface PreviewOptions {
  readonly store: Store;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
  readonly account: DeliveryAccount;
  readonly route: Route;
  readonly fence: TurnFence;
  readonly sessionKey: SessionKey;
  readonly runId: RunId | null;
  readonly replyTo: string | null;
  readonly replyToMode: "off" | "first" | "all";
  /** An answer that is complete within this time needs no preview. Default 350 ms. */
  readonly quietMs?: number;
}

/** The streaming preview of one turn (TN-11). Nothing it does can fail the turn. */
export interface AnswerPreview {
  /**
   * The whole text so far, sanitised (ST-6), and what stands above it (CM-10). Cheap: shows it at the platform's safe rate,
   * skipping what was overtaken.
   */
  update(visibleText: string, above?: string | null): void;
  /**
   * Stops it. Resolves when no edit can reach the platform any more; only then may the turn be ended, or a
   * late preview could overwrite the final text. Calling it again is harmless.
   */
  finish(): Promise<void>;
}

const NO_PREVIEW: AnswerPreview = { update: () => undefined, finish: () => Promise.resolve() };
const QUIET_MS = 350;
/** How long the end of a turn waits for an edit that is under way before it is aborted. */
const LAST_EDIT_MS = 2_000;

/** What the platform shows: nothing yet, a row whose message id is not known yet, a message, or never anything. */
type Shown =
  | { readonly state: "nothing" }
  | { readonly state: "sending" }
  | { readonly state: "message"; readonly id: string; readonly rich: string }
  | { readonly state: "given-up" };

/**
 * A preview for one turn's answer. The first text becomes the turn's outbox row 0, which the pump sends; edits go straight
 * to the platform and are no rows. On a platform without edits it does nothing.
 */
export function createPreview(options: PreviewOptions): AnswerPreview {
  const { store, clock, timers, account, route, log } = options;
  const { renderer, capabilities } = account.adapter;
  const { edits } = capabilities;
  if (edits === undefined) return NO_PREVIEW;

  const key = turnDeliveryKey(options.fence.turnId, 0);
  const aborter = new AbortController();
  let text = "";
  let above: string | null = null;
  let shown: Shown = { state: "nothing" };
  let notBefore = clock.now() + (options.quietMs ?? QUIET_MS);
  let cancelTimer: (() => void) | null = null;
  let running: Promise<void> | null = null;
  let finished = false;
  /** The text changed since the last look. */
  let stale = false;

  const schedule = (): void => {
    if (finished || cancelTimer !== null || running !== null || shown.state === "given-up") return;
    cancelTimer = timers.after(Math.max(0, notBefore - clock.now()), () => {
      cancelTimer = null;
      running = look().finally(() => {
        running = null;
        notBefore = Math.max(notBefore, clock.now() + edits.minIntervalMs(route));
        if (stale || shown.state === "sending") schedule();
      });
    });
  };

  async function look(): Promise<void> {
    stale = false;
    try {
      const piece = preparePreview(text, renderer, above);
      if (piece === null) return;
      if (shown.state === "nothing") shown = await begin(piece);
      else if (shown.state === "sending") shown = stateOf(await store.read(deliveryByKey, key));
      if (shown.state === "message") shown = await edit(shown, piece);
    } catch (error) {
      log.debug({ err: error, key }, "a preview could not be shown");
    }
  }

  async function begin(piece: RenderedPiece): Promise<Shown> {
    const delivery = messageDelivery(piece, {
      route,
      keyAt: () => key,
      position: 0,
      replyTo: options.replyTo,
      replyToMode: options.replyToMode,
      private: false,
    });
    const { fence, sessionKey, runId } = options;
    const begun = await store.step(beginPreview, { fence, sessionKey, runId, delivery });
    return { state: begun ? "sending" : "given-up" };
  }

  async function edit(message: Extract<Shown, { state: "message" }>, piece: RenderedPiece): Promise<Shown> {
    if (finished || piece.rich === message.rich) return message;
    const place = pacedConversation(account, route);
    if (!options.pacer.tryTake(place, "preview")) {
      stale = true;
      return message;
    }
    const limit = (await edits?.preview(route, message.id, piece, aborter.signal)) ?? null;
    if (limit === null) return { ...message, rich: piece.rich };
    // Edits that go on against a limit prolong it, and the final text pays for them.
    options.pacer.hold(place, limit.sharesLimitWith, clock.now() + limit.afterMs);
    stale = true;
    return message;
  }

  return {
    update(visibleText, aboveIt = null) {
      if (finished || (visibleText === text && aboveIt === above)) return;
      text = visibleText;
      above = aboveIt;
      stale = true;
      schedule();
    },
    async finish() {
      finished = true;
      cancelTimer?.();
      cancelTimer = null;
      if (running === null) return;
      // An edit that is under way is let through when it is quick: aborting it would not take back what already left.
      await Promise.race([running, pause(LAST_EDIT_MS, aborter.signal, timers)]);
      aborter.abort();
      // An adapter that does not obey its signal must not keep the turn from ending.
      const patience = new AbortController();
      await Promise.race([running, pause(LAST_EDIT_MS, patience.signal, timers)]);
      patience.abort();
    },
  };
}

/** After a restart the row is there already, with the text it was last given; its message is edited, never sent again. */
function stateOf(row: Delivery | null): Shown {
  if (row === null || row.content.kind !== "message") return { state: "given-up" };
  const [id] = row.messageIds;
  if (id !== undefined) return { state: "message", id, rich: row.content.piece.rich };
  return row.state === "pending" || row.state === "sending" ? { state: "sending" } : { state: "given-up" };
}

export interface TypingOptions {
  readonly account: DeliveryAccount;
  readonly route: Route;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
  /** Nothing shows before this. Default 300 ms. */
  readonly delayMs?: number;
  /** Ends by itself after this time in any case. Default 15 minutes. */
  readonly limitMs?: number;
}

/** The typing indicator of one turn (TN-10). */
export interface TypingIndicator {
  /** Ends it; belongs into a `finally`. Calling it again is harmless. */
  stop(): void;
}

const DELAY_MS = 300;
const LIMIT_MS = 15 * 60_000;

/**
 * Shows that the bot is working while a turn waits or runs, renewed as the platform needs it (TN-10). Its failures never
 * matter, and it yields to messages when tokens are scarce (DL-5). On a platform without typing it does nothing.
 */
export function startTyping(options: TypingOptions): TypingIndicator {
  const { account, route, pacer, clock, timers, log } = options;
  const { typing } = account.adapter.capabilities;
  if (typing === undefined) return { stop: () => undefined };
  const endsAt = clock.now() + (options.limitMs ?? LIMIT_MS);
  let shown = false;
  let underWay = false;
  let stopped = false;

  const ignore = (error: unknown): void =>
    log.debug({ err: error, channel: route.channel }, "typing could not be shown");
  const renew = (): void => {
    if (stopped) return;
    if (clock.now() >= endsAt) {
      stop();
      return;
    }
    if (!underWay && pacer.tryTake(pacedConversation(account, route), "typing")) {
      shown = true;
      underWay = true;
      const done = (): void => {
        underWay = false;
      };
      typing.start(route).catch(ignore).then(done, done);
    }
    cancel = timers.after(typing.renewMs, renew);
  };
  const stop = (): void => {
    if (stopped) return;
    stopped = true;
    cancel();
    if (shown) typing.stop?.(route).catch(ignore);
  };
  let cancel = timers.after(options.delayMs ?? DELAY_MS, renew);
  return { stop };
}
