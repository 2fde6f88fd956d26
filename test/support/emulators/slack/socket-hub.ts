import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Attempt, AttemptResult } from "./delivery.ts";
import { SocketConnection } from "./socket-connection.ts";
import type { World } from "./world.ts";

/** What goes wrong with the next connection an app opens. */
export type NextSocket =
  /** The handshake is refused with this HTTP status. */
  | { kind: "refuse"; status?: number }
  /** A `disconnect` frame comes instead of `hello`. */
  | { kind: "disconnectBeforeHello"; reason: DisconnectReason }
  /** Neither `hello` nor anything else comes. */
  | { kind: "noHello" }
  /** The connection is cut after the handshake. */
  | { kind: "cut" };

export type DisconnectReason = "warning" | "refresh_requested" | "link_disabled" | "too_many_websockets";

export interface HubOptions {
  appId: string;
  /** Milliseconds an app has for acknowledging. */
  ackMs: number;
  /** Milliseconds between the platform's pings. */
  pingMs: number;
}

/** Slack allows an app ten connections at a time. */
const MOST_CONNECTIONS = 10;

/** Seconds the platform says a connection will last. */
const CONNECTION_SECONDS = 18_060;

/** Socket Mode of one app: its tickets, its connections, and which of them gets the next envelope. */
export class SocketHub {
  readonly #world: World;
  readonly #options: HubOptions;
  readonly #tickets = new Set<string>();
  readonly #next: NextSocket[] = [];
  #open: SocketConnection[] = [];
  #turn = 0;
  #disabled = false;

  constructor(world: World, options: HubOptions) {
    this.#world = world;
    this.#options = options;
  }

  /** Connections that have said `hello`, oldest first. */
  get connections(): readonly SocketConnection[] {
    return this.#open;
  }

  get isDisabled(): boolean {
    return this.#disabled;
  }

  /** Switches Socket Mode off: `link_disabled` now, and no new URLs. */
  disable(): void {
    this.#disabled = true;
    for (const connection of [...this.#open]) connection.disconnects("link_disabled");
  }

  /** Switches Socket Mode on again. */
  enable(): void {
    this.#disabled = false;
  }

  /** What goes wrong with connections to come, one after the other. */
  breakNext(...faults: NextSocket[]): void {
    this.#next.push(...faults);
  }

  /** A URL for one connection. */
  ticketUrl(): string {
    const ticket = `${this.#options.appId}-${this.#world.count("envelope")}`;
    this.#tickets.add(ticket);
    return `${this.#world.origin.replace("http:", "ws:")}/link/?ticket=${ticket}&app_id=${this.#options.appId}`;
  }

  /** Takes a handshake. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, ticket: string): void {
    const fault = this.#next.shift();
    if (!this.#tickets.delete(ticket) || fault?.kind === "refuse") {
      const status = fault?.kind === "refuse" ? (fault.status ?? 408) : 404;
      socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const connection = new SocketConnection(
      this.#world,
      {
        ackMs: this.#options.ackMs,
        pingMs: this.#options.pingMs,
        onClose: () => {
          this.#open = this.#open.filter((entry) => entry !== connection);
        },
      },
      { request, socket, head },
    );
    const isFull = this.#open.length >= MOST_CONNECTIONS;
    if (fault?.kind === "cut") connection.cuts();
    else if (fault?.kind === "disconnectBeforeHello") connection.disconnects(fault.reason);
    else if (isFull && fault === undefined) connection.disconnects("too_many_websockets");
    else if (fault === undefined) this.#welcome(connection);
  }

  #welcome(connection: SocketConnection): void {
    this.#open.push(connection);
    connection.hello({
      type: "hello",
      num_connections: this.#open.length,
      debug_info: { host: "applink-emulated", build_number: 1, approximate_connection_time: CONNECTION_SECONDS },
      connection_info: { app_id: this.#options.appId },
    });
    this.#world.signals.changed();
  }

  /** Sends one payload to the connection whose turn it is. */
  deliver(attempt: Attempt): Promise<AttemptResult> {
    const ready = this.#open.filter((connection) => connection.takesEnvelopes);
    const connection = ready[this.#turn % Math.max(1, ready.length)];
    this.#turn += 1;
    if (connection === undefined) return Promise.resolve({ ok: false, reason: "connection_failed" });
    return connection.envelope({
      type: attempt.kind,
      envelope_id: crypto.randomUUID(),
      payload: attempt.payload,
      accepts_response_payload: attempt.kind !== "events_api",
      ...(attempt.kind === "events_api"
        ? { retry_attempt: attempt.retry, retry_reason: attempt.retryReason === null ? "" : "timeout" }
        : {}),
    });
  }

  /** Cuts every connection (the platform goes down). */
  cut(): void {
    for (const connection of [...this.#open]) connection.cuts();
  }
}
