import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { Faults } from "../faults.ts";
import { refusalOf } from "../faults.ts";
import type { World } from "../world.ts";
import { Connection } from "./connection.ts";

export interface GatewayParts {
  world: World;
  faults: Faults;
  heartbeatMs: number;
  url: () => string;
}

/** The gateway: takes WebSocket upgrades on the same port as the REST API. */
export class GatewayServer {
  readonly #parts: GatewayParts;
  readonly #sockets = new WebSocketServer({ noServer: true });

  constructor(parts: GatewayParts) {
    this.#parts = parts;
  }

  /** Answers an upgrade request of the HTTP server. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { faults } = this.#parts;
    if (faults.take("unread", { method: "gateway_connect" }) !== null) return void socket.destroy();
    const fault = faults.take("read", { method: "gateway_connect" });
    const refusal = fault === null ? null : refusalOf(fault);
    if (refusal !== null) {
      socket.end(`HTTP/1.1 ${refusal.status} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
      return;
    }
    if (fault?.kind === "slow") this.#parts.world.later(fault.ms, () => this.#accept(request, socket, head));
    else this.#accept(request, socket, head);
  }

  #accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const query = new URL(request.url ?? "/", "http://127.0.0.1").searchParams;
    this.#sockets.handleUpgrade(request, socket, head, (websocket) => {
      if (query.get("v") !== "10") return websocket.close(4012, "Invalid API version.");
      if ((query.get("encoding") ?? "json") !== "json") return websocket.close(4002, "Only JSON is spoken here.");
      const { world, faults, heartbeatMs, url } = this.#parts;
      new Connection(websocket, { world, faults, heartbeatMs, resumeUrl: url });
    });
  }
}
