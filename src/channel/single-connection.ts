import type { Delivery, SendOutcome } from "../core/delivery/delivery.ts";
import { ChannelError } from "../core/errors.ts";
import type { Logger } from "../core/runtime.ts";
import { accountTexts, STOPPED_EARLY } from "../core/texts/platforms/accounts.ts";
import { backoffMs, jittered, pause, systemTimers } from "../core/time.ts";

/** So short because an account must be back within 10 s after the cause ends (CH-5). */
const RECONNECT = { firstMs: 300, longestMs: 4_000 } as const;

/** How long to wait before a platform or the store is asked again. */
export function reconnectMs(failures: number): number {
  return jittered(backoffMs(RECONNECT, failures));
}

/** One live connection of one account. A new start makes a new one (CH-6). */
export interface LiveConnection {
  /** Reports that the account can be used; called once senders know this connection. */
  open(): void;
  send(delivery: Delivery, signal: AbortSignal): Promise<SendOutcome>;
  /** Resolves when no event can arrive any more. */
  close(): Promise<void>;
}

export interface SingleConnection<Live extends LiveConnection> {
  /** null: not connected, or not yet. */
  live(): Live | null;
  /** The reason for failures while there is no connection. */
  readonly missing: string;
  /**
   * Ends what stands, then connects. Rejects with what `connect` rejects with, and with a ChannelError when another start or a
   * stop came before it could connect. `stopping` calls the connection off, also while it is still being made.
   */
  start(connect: (stopping: AbortController) => Promise<Live>): Promise<void>;
  /** Ends the connection, also one that is still opening. Waits for every earlier end. */
  end(): Promise<void>;
  /** Through the live connection; a delivery for another account fails. */
  send(delivery: Delivery, signal: AbortSignal): Promise<SendOutcome>;
}

/** However starts and stops cross, at most one connection of an account receives at a time (CH-6, FC-074). */
export function createSingleConnection<Live extends LiveConnection>(account: {
  readonly channel: string;
  /** As people call the platform. */
  readonly name: string;
  readonly accountId: string;
}): SingleConnection<Live> {
  const missing = accountTexts.notConnected(account.name);
  let current: { readonly stopping: AbortController; readonly opened: Promise<Live> } | null = null;
  let connection: Live | null = null;
  /** Counts starts and stops; a start that was overtaken must not connect. */
  let generation = 0;
  let ended: Promise<void> = Promise.resolve();

  async function close(): Promise<void> {
    const closing = current;
    current = null;
    connection = null;
    if (closing === null) return;
    closing.stopping.abort();
    const opened = await closing.opened.catch(() => null);
    await opened?.close();
  }

  function end(): Promise<void> {
    generation += 1;
    ended = ended.then(close);
    return ended;
  }

  return {
    live: () => connection,
    missing,
    async start(connect) {
      const ending = end();
      const mine = generation;
      await ending;
      if (mine !== generation) {
        throw new ChannelError(`${account.channel}_stopped`, STOPPED_EARLY, {
          decision: "retry",
        });
      }
      const stopping = new AbortController();
      const opened = connect(stopping);
      current = { stopping, opened };
      const made = await opened;
      if (current?.opened !== opened) return;
      connection = made;
      made.open();
    },
    end,
    async send(delivery, signal) {
      const { channel, accountId } = delivery.route;
      // There is no default account: a wrong route is a fault to show, not a message to put somewhere else (FC-090).
      if (channel !== account.channel || accountId !== account.accountId) {
        const own = `${account.channel}/${account.accountId}`;
        const reason = accountTexts.otherAccount(own, `${channel}/${accountId}`);
        return { outcome: "failed", reason, gone: false, movedTo: null };
      }
      if (connection === null) return { outcome: "retry", afterMs: null, sharesLimitWith: null, reason: missing };
      return await connection.send(delivery, signal);
    },
  };
}

/** How often a connection is looked at. */
const TICK_MS = 250;

/** What to do after so many milliseconds without a sign of life; once per silence. */
export interface SilenceStage {
  readonly afterMs: number;
  readonly act: () => void;
}

/**
 * Watches one connection for silence: a half-open socket has neither an event nor an error (CH-6,
 * FC-073). `sign` returns a value that changes with every sign of life; the acts of `stages` (shortest first) follow when it
 * stays the same. Time in which this very process stood still counts as one look: what came meanwhile is read after it, so a
 * busy moment is no silence (FC-071). `onLife`: called with the first sign after an act. Returns how to stop.
 */
export function watchSilence(
  sign: () => unknown,
  stages: readonly SilenceStage[],
  onLife: () => void = () => undefined,
): () => void {
  let last = sign();
  let quietMs = 0;
  let lookedAt = performance.now();
  let acted = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    const passed = Math.min(now - lookedAt, 2 * TICK_MS);
    lookedAt = now;
    const seen = sign();
    if (seen !== last) {
      last = seen;
      quietMs = 0;
      if (acted > 0) onLife();
      acted = 0;
      return;
    }
    quietMs += passed;
    for (const stage of stages.slice(acted)) {
      if (quietMs < stage.afterMs) break;
      acted += 1;
      stage.act();
    }
  }, TICK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** How long a stop waits for what is still on its way in. */
const DRAIN_MS = 5_000;

/**
 * Waits for work that was taken in before a stop, but not for ever: an event whose commit hangs is not acknowledged and comes
 * again (IN-3), so leaving it loses nothing. Never rejects.
 */
export async function drained(work: Promise<unknown>, log: Logger): Promise<void> {
  const late = new AbortController();
  const tooLate = pause(DRAIN_MS, late.signal, systemTimers).then(() => !late.signal.aborted);
  const done = work.then(
    () => false,
    (error: unknown) => {
      log.debug({ err: error }, "what was taken in before the stop did not end well");
      return false;
    },
  );
  const isLate = await Promise.race([done, tooLate]);
  late.abort();
  if (isLate)
    log.warn({}, "an event is still not stored; the stop does not wait for it any longer, and it comes again");
}
