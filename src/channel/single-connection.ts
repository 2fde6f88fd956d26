import type { Delivery, SendOutcome } from "../core/delivery/delivery.ts";
import { ChannelError } from "../core/errors.ts";
import { accountTexts, STOPPED_EARLY } from "../core/texts/platforms/accounts.ts";
import { backoffMs, jittered } from "../core/waiting.ts";

/** So short because an account must be back within 10 s after the cause is gone (CH-5). */
const RECONNECT = { firstMs: 300, longestMs: 4_000 } as const;

/** How long to wait before a platform or the store is asked again. */
export function reconnectMs(failures: number): number {
  return jittered(backoffMs(RECONNECT, failures));
}

/** One live connection of one account. A new start makes a new one (CH-6). */
export interface LiveConnection {
  /** Says that the account can be used; called when whoever sends knows this connection. */
  open(): void;
  send(delivery: Delivery, signal: AbortSignal): Promise<SendOutcome>;
  /** Resolves when no event can arrive any more. */
  close(): Promise<void>;
}

export interface SingleConnection<Live extends LiveConnection> {
  /** null: not connected, or not yet. */
  live(): Live | null;
  /** Why something cannot be done while there is none. */
  readonly missing: string;
  /**
   * Ends what stands, then connects. Rejects with what `connect` rejects with, and with a ChannelError when another start or a
   * stop came before it could connect. `stopping` calls the connection off, also while it is still being made.
   */
  start(connect: (stopping: AbortController) => Promise<Live>): Promise<void>;
  /** Ends the connection, also one that is still being made. Whoever ends waits for every end before. */
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
