import { SocketModeReceiver } from "@slack/bolt";
import { ChannelError } from "../../src/core/errors.ts";
import type { Logger } from "../../src/core/runtime.ts";
import type { AccountSettings } from "../../src/core/settings.ts";
import { backoffMs, pause } from "./backoff.ts";
import type { Envelope } from "./envelopes.ts";
import { connectError } from "./errors.ts";
import type { Health } from "./health.ts";
import { quietLogger, webOptions } from "./web.ts";

/** A connection on which Slack does not say `hello` by then is none. */
const HELLO_MS = 8_000;
/** A pong that is late because this process was busy must not end a connection (FC-071). */
const PONG_MS = 10_000;
const PING_MS = 30_000;
const CLOSE_MS = 3_000;

export interface SocketParts {
  readonly apiUrl: string;
  readonly appToken: string;
  readonly account: Pick<AccountSettings, "accountId">;
  readonly log: Logger;
  readonly health: Health;
  readonly onEnvelope: (envelope: Envelope) => void;
  /** After every `hello`, also the first. */
  readonly onConnected: () => void;
  readonly signal: AbortSignal;
}

interface Connection {
  /** Resolves when it is over, for whatever reason. */
  readonly over: Promise<void>;
  close(): Promise<void>;
}

/**
 * Receives over Socket Mode. Resolves after the first `hello`; rejects with a ChannelError when there is none. After that it
 * connects again by itself: a new client for each connection, the old one closed before (CH-6). The library's own
 * reconnecting leaves rejections behind that nobody handles. The inner promise ends when receiving has ended.
 */
export async function receiveBySocket(parts: SocketParts): Promise<{ readonly ended: Promise<void> }> {
  const first = await open(parts);
  parts.health.connected();
  parts.onConnected();
  return { ended: keepConnected(parts, first) };
}

async function keepConnected(parts: SocketParts, first: Connection): Promise<void> {
  const { signal, health, log } = parts;
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener("abort", () => resolve(), { once: true });
  let connection = first;
  for (let failures = 0; ; ) {
    await Promise.race([connection.over, stopped]);
    await connection.close();
    let next: Connection | null = null;
    while (next === null) {
      if (signal.aborted) return;
      try {
        next = await open(parts);
        // Slack renews connections every few hours; one that stands again at once is no news.
        health.connected();
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        const reason = connectError(error, parts.account, "appToken");
        if (reason.decision === "fatal") {
          log.error({ err: error }, reason.message);
          health.failed(reason.message);
          return;
        }
        failures += 1;
        health.lost(reason.message);
        await pause(backoffMs(failures), signal);
      }
    }
    connection = next;
    parts.onConnected();
  }
}

async function open({ apiUrl, appToken, log, onEnvelope, signal }: SocketParts): Promise<Connection> {
  const { client } = new SocketModeReceiver({
    appToken,
    logger: quietLogger(log),
    installerOptions: { clientOptions: webOptions(apiUrl, log) },
    autoReconnectEnabled: false,
    clientPingTimeout: PONG_MS,
    serverPingTimeout: PING_MS,
  });
  // Bolt's own handler acknowledges before anything is stored (IN-3).
  client.removeAllListeners("slack_event");
  client.on("slack_event", ({ ack, type, body }: { ack: () => Promise<void>; type: string; body: unknown }) =>
    onEnvelope({ type, body, acknowledge: () => ack() }),
  );
  // The library's reader throws on a frame without what it expects, into nowhere (FC-143).
  const readers = client.listeners("ws_message");
  client.removeAllListeners("ws_message");
  for (const read of readers) {
    client.on("ws_message", (...frame: unknown[]) => {
      Promise.resolve(read(...frame)).catch((error: unknown) =>
        log.warn({ err: error }, "Slack sent a frame nobody can read"),
      );
    });
  }
  const over = new Promise<void>((resolve) => client.once("disconnected", () => resolve()));
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  const close = async (): Promise<void> => {
    if (isOver) return;
    await Promise.race([client.disconnect(), pause(CLOSE_MS, AbortSignal.timeout(CLOSE_MS * 2))]);
  };
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const giveUp = (why: string): void =>
    reject(new ChannelError("slack_unreachable", `Slack cannot be reached: ${why}`, { decision: "retry" }));
  const timer = setTimeout(() => giveUp(`no hello within ${HELLO_MS} ms`), HELLO_MS);
  const onAbort = (): void => giveUp("the account was stopped");
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([client.start(), givenUp]);
    return { over, close };
  } catch (error) {
    await close();
    // Without an error: the connection ended before `hello`.
    if (error !== undefined) throw error;
    throw new ChannelError("slack_unreachable", "Slack ended the connection at once", { decision: "retry" });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
