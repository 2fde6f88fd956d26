import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { AttemptResult } from "./delivery.ts";
import type { DisconnectReason } from "./socket-hub.ts";
import { ServerWebSocket } from "./web-socket.ts";
import type { World } from "./world.ts";

interface Envelope {
  type: string;
  envelope_id: string;
  [field: string]: unknown;
}

interface ConnectionOptions {
  ackMs: number;
  pingMs: number;
  onClose: () => void;
}

/** One Socket Mode connection, from the platform's side. */
export class SocketConnection {
  readonly #world: World;
  readonly #options: ConnectionOptions;
  readonly #socket: ServerWebSocket;
  readonly #unacknowledged = new Map<string, (result: AttemptResult) => void>();
  readonly #pings: NodeJS.Timeout;
  /** Envelopes sent here, oldest first. */
  readonly envelopes: Envelope[] = [];
  /** Envelope ids acknowledged here, in order. */
  readonly acks: string[] = [];
  #retiring = false;
  #pongs = 0;
  #heardPings = 0;

  constructor(
    world: World,
    options: ConnectionOptions,
    handshake: { request: IncomingMessage; socket: Duplex; head: Buffer },
  ) {
    this.#world = world;
    this.#options = options;
    this.#socket = ServerWebSocket.accept(handshake.request, handshake.socket, handshake.head, {
      onText: (text) => this.#acknowledged(text),
      onPing: () => {
        this.#heardPings += 1;
      },
      onPong: () => {
        this.#pongs += 1;
        this.#world.signals.changed();
      },
      onClose: () => this.#closed(),
    });
    this.#pings = setInterval(() => this.#socket.ping(), options.pingMs);
  }

  get isOpen(): boolean {
    return this.#socket.isOpen;
  }

  /** Whether new envelopes may go here: open, and no `disconnect` frame was sent that ends it. */
  get takesEnvelopes(): boolean {
    return this.isOpen && !this.#retiring;
  }

  /** How many of the platform's pings the client has answered. */
  get pongs(): number {
    return this.#pongs;
  }

  /** How many pings the client has sent. */
  get pings(): number {
    return this.#heardPings;
  }

  hello(frame: Record<string, unknown>): void {
    this.#socket.sendText(JSON.stringify(frame));
    // The first ping follows at once: a client watches for pings only after it has seen one.
    this.#socket.ping();
  }

  /** Sends a `disconnect` frame. After `warning` the connection goes on; after anything else it gets no envelopes. */
  disconnects(reason: DisconnectReason): void {
    if (reason !== "warning") this.#retiring = true;
    this.sends({ type: "disconnect", reason, debug_info: { host: "applink-emulated" } });
  }

  /** Sends any object as a frame. */
  sends(frame: unknown): void {
    this.#socket.sendText(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  /** Half-open: the platform reads and sends nothing more here but believes the connection is there. */
  silences(): void {
    this.#socket.silence();
  }

  /** Ends the TCP connection without a close frame. */
  cuts(): void {
    this.#socket.cut();
  }

  /** Closes with a close frame. */
  closes(code = 1000): void {
    this.#retiring = true;
    this.#socket.close(code);
  }

  /** Sends an envelope; resolves when it is acknowledged, when its time is over, or when the connection ends. */
  envelope(envelope: Envelope): Promise<AttemptResult> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle({ ok: false, reason: "timeout" }), this.#options.ackMs);
      const settle = (result: AttemptResult): void => {
        clearTimeout(timer);
        this.#unacknowledged.delete(envelope.envelope_id);
        resolve(result);
      };
      this.#unacknowledged.set(envelope.envelope_id, settle);
      this.envelopes.push(envelope);
      this.sends(envelope);
    });
  }

  #acknowledged(text: string): void {
    const ack = JSON.parse(text) as { envelope_id?: string; payload?: Record<string, unknown> };
    if (ack.envelope_id === undefined) return;
    this.acks.push(ack.envelope_id);
    this.#unacknowledged.get(ack.envelope_id)?.({ ok: true, response: ack.payload ?? {} });
    this.#world.signals.changed();
  }

  #closed(): void {
    clearInterval(this.#pings);
    for (const settle of [...this.#unacknowledged.values()]) settle({ ok: false, reason: "connection_failed" });
    this.#options.onClose();
    this.#world.signals.changed();
  }
}
