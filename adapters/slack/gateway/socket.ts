import { SocketModeClient } from "@slack/socket-mode";
import type { Health } from "../../../src/channel/intake.ts";
import type { PlatformClock } from "../../../src/channel/platform-clock.ts";
import { throughProxies } from "../../../src/channel/proxies.ts";
import { reconnectMs, watchSilence } from "../../../src/channel/single-connection.ts";
import { ChannelError } from "../../../src/core/errors.ts";
import type { Logger } from "../../../src/core/runtime.ts";
import type { AccountSettings } from "../../../src/core/settings.ts";
import { accountTexts, STOPPED_EARLY, slackAccountTexts } from "../../../src/core/texts/platforms/accounts.ts";
import { pause } from "../../../src/core/time.ts";
import { connectError } from "../errors.ts";
import type { Envelope } from "./envelopes.ts";
import { quietLogger, webOptions } from "./lookups.ts";

/** A connection without Slack's `hello` after this time is given up. */
const HELLO_MS = 4_000;
/** Slack renews connections every few hours; one that is back within this time is not reported. */
const RENEWAL_MS = 1_500;
/**
 * The library pings at a third of this, and would end a connection whose pong is late because this process was busy (FC-071).
 * The bounds that matter are the two below; they count only time in which this process was awake.
 */
const LIBRARY_PONG_MS = 7_500;
const LIBRARY_PING_MS = 30_000;
const SILENT_MS = 3_900;
const DEAD_MS = 6_000;
const CLOSE_MS = 1_500;

export interface SocketParts {
  readonly apiUrl: string;
  readonly appToken: string;
  readonly account: Pick<AccountSettings, "channel" | "accountId">;
  readonly log: Logger;
  readonly hearDate: PlatformClock["heard"];
  readonly health: Health;
  readonly onEnvelope: (envelope: Envelope) => void;
  /** After every `hello`, also the first. */
  readonly onConnected: () => void;
  readonly signal: AbortSignal;
}

interface Connection {
  /** Resolves when it has ended, for any reason. */
  readonly over: Promise<void>;
  close(): Promise<void>;
}

/**
 * Receives over Socket Mode. Resolves after the first `hello`; rejects with a ChannelError when there is none. After that it
 * connects again by itself: a new client for each connection, the old one closed before (CH-6). The library's own
 * reconnecting leaves unhandled rejections behind. The inner promise ends when receiving has ended.
 */
export async function receiveBySocket(parts: SocketParts): Promise<{ readonly ended: Promise<void> }> {
  const first = await open(parts);
  parts.health.connection("ready");
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
    const broken = setTimeout(() => health.connection("reconnecting", accountTexts.lost("Slack")), RENEWAL_MS);
    if (signal.aborted) clearTimeout(broken);
    let next: Connection | null = null;
    while (next === null) {
      if (signal.aborted) return;
      try {
        next = await open(parts);
        clearTimeout(broken);
        health.connection("ready");
        failures = 0;
      } catch (error) {
        clearTimeout(broken);
        if (signal.aborted) return;
        const reason = connectError(error, parts.account, "appToken");
        if (reason.decision === "fatal") {
          log.debug({ err: error }, reason.message);
          health.connection("failed", reason.message);
          return;
        }
        failures += 1;
        health.connection("reconnecting", reason.message);
        await pause(reason.retryAfterMs ?? reconnectMs(failures), signal);
      }
    }
    connection = next;
    parts.onConnected();
  }
}

async function open({ apiUrl, appToken, log, hearDate, health, onEnvelope, signal }: SocketParts): Promise<Connection> {
  const client = new SocketModeClient({
    appToken,
    logger: quietLogger(log),
    clientOptions: webOptions(apiUrl, { log, hearDate }),
    autoReconnectEnabled: false,
    ...proxied(),
    clientPingTimeout: LIBRARY_PONG_MS,
    serverPingTimeout: LIBRARY_PING_MS,
  });
  client.on(
    "slack_event",
    ({ ack, type, body }: { ack: (response?: object) => Promise<void>; type: string; body: unknown }) =>
      onEnvelope({ type, body, acknowledge: (response) => ack(response) }),
  );
  const readers = client.listeners("ws_message");
  client.removeAllListeners("ws_message");
  let frames = 0;
  let why: string | null = null;
  client.on("ws_message", (data: unknown) => {
    frames += 1;
    why = disconnectReason(data) ?? why;
  });
  // The library's reader throws on a frame without what it expects, into nowhere (FC-143).
  for (const read of readers) {
    client.on("ws_message", (...frame: unknown[]) => {
      Promise.resolve(read(...frame)).catch((error: unknown) =>
        log.warn({ err: error }, "Slack sent an unreadable frame"),
      );
    });
  }
  const over = new Promise<void>((resolve) => client.once("disconnected", () => resolve()));
  let isOver = false;
  let unwatch = (): void => undefined;
  void over.then(() => {
    isOver = true;
  });
  const close = async (): Promise<void> => {
    unwatch();
    if (isOver) return;
    await Promise.race([client.disconnect(), pause(CLOSE_MS, AbortSignal.timeout(CLOSE_MS * 2))]);
    // A second time it does not wait for an answer any more.
    if (!isOver) await client.disconnect();
  };
  const watch = (): (() => void) =>
    watchSilence(
      () => `${frames} ${lastPong(client)}`,
      [
        { afterMs: SILENT_MS, act: () => health.connection("reconnecting", accountTexts.silent("Slack")) },
        { afterMs: DEAD_MS, act: () => void close() },
      ],
      () => health.connection("ready"),
    );
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const giveUp = (why: string): void =>
    reject(new ChannelError("slack_unreachable", accountTexts.unreachable("Slack", why), { decision: "retry" }));
  const timer = setTimeout(() => giveUp(slackAccountTexts.noHello(HELLO_MS)), HELLO_MS);
  const onAbort = (): void => giveUp(STOPPED_EARLY);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([client.start(), givenUp]);
    unwatch = watch();
    return { over, close };
  } catch (error) {
    await close();
    // Without an error: the connection ended before `hello`.
    if (error !== undefined) throw error;
    throw new ChannelError("slack_unreachable", endedAtOnce(why), { decision: "retry" });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

/** The library's own dispatcher takes no proxy; Node's, which `fetch` uses, does (FC-322). */
function proxied(): Pick<ConstructorParameters<typeof SocketModeClient>[0] & object, "dispatcher"> {
  if (throughProxies().proxyEnv === undefined) return {};
  return { dispatcher: Reflect.get(globalThis, Symbol.for("undici.globalDispatcher.1")) };
}

function endedAtOnce(why: string | null): string {
  return why === "too_many_websockets" ? slackAccountTexts.tooManySockets : slackAccountTexts.endedAtOnce(why);
}

/** The reason in a frame that announces the end of the connection. */
function disconnectReason(data: unknown): string | null {
  if (typeof data !== "string" || !data.includes('"disconnect"')) return null;
  try {
    const frame: unknown = JSON.parse(data);
    if (typeof frame !== "object" || frame === null || !("type" in frame) || frame.type !== "disconnect") return null;
    return "reason" in frame && typeof frame.reason === "string" ? frame.reason : null;
  } catch {
    return null;
  }
}

/** When Slack last answered a ping. The library keeps it to itself, but tells of a silence only after it has given up. */
function lastPong(client: object): unknown {
  const socket: unknown = Reflect.get(client, "websocket");
  return typeof socket === "object" && socket !== null ? Reflect.get(socket, "lastPongReceivedTimestamp") : undefined;
}
