import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

const ACCEPT_SALT = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

type Opcode = 0x0 | 0x1 | 0x2 | 0x8 | 0x9 | 0xa;

export interface SocketListeners {
  onText: (text: string) => void;
  /** A ping's or pong's arrival. */
  onPing?: () => void;
  onPong?: () => void;
  /** Once, when the connection is over; the code of the peer's close frame, or 1006. */
  onClose: (code: number) => void;
}

function frame(opcode: Opcode, payload: Buffer): Buffer {
  const { length } = payload;
  if (length < 126) return Buffer.concat([Buffer.from([0x80 | opcode, length]), payload]);
  const header = Buffer.alloc(length < 65_536 ? 4 : 10);
  header[0] = 0x80 | opcode;
  if (length < 65_536) {
    header[1] = 126;
    header.writeUInt16BE(length, 2);
  } else {
    header[1] = 127;
    header.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([header, payload]);
}

interface Frame {
  final: boolean;
  opcode: number;
  payload: Buffer;
}

/** Takes one whole frame off the front; null while it is not all there. */
function take(buffer: Buffer): { frame: Frame; rest: Buffer } | null {
  if (buffer.length < 2) return null;
  const [first = 0, second = 0] = buffer;
  let length = second & 0x7f;
  let at = 2;
  if (length === 126) {
    if (buffer.length < 4) return null;
    length = buffer.readUInt16BE(2);
    at = 4;
  } else if (length === 127) {
    if (buffer.length < 10) return null;
    length = Number(buffer.readBigUInt64BE(2));
    at = 10;
  }
  const masked = (second & 0x80) !== 0;
  const start = at + (masked ? 4 : 0);
  if (buffer.length < start + length) return null;
  const payload = Buffer.from(buffer.subarray(start, start + length));
  if (masked) for (let i = 0; i < length; i += 1) payload[i] = (payload[i] ?? 0) ^ (buffer[at + (i % 4)] ?? 0);
  return {
    frame: { final: (first & 0x80) !== 0, opcode: first & 0x0f, payload },
    rest: buffer.subarray(start + length),
  };
}

/**
 * The server's end of one WebSocket (RFC 6455), by hand because a test must be able to do what a library forbids:
 * fall silent with the connection open, cut it without a close frame, and send anything at all.
 */
export class ServerWebSocket {
  readonly #socket: Duplex;
  readonly #listeners: SocketListeners;
  #buffer = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #silent = false;
  #over = false;
  #closeCode = 1006;

  constructor(socket: Duplex, listeners: SocketListeners, head: Buffer) {
    this.#socket = socket;
    this.#listeners = listeners;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#ended());
    if (head.length > 0) this.#receive(head);
  }

  /** Answers the handshake and takes the connection over. */
  static accept(request: IncomingMessage, socket: Duplex, head: Buffer, listeners: SocketListeners): ServerWebSocket {
    const key = request.headers["sec-websocket-key"] ?? "";
    const accept = createHash("sha1").update(`${key}${ACCEPT_SALT}`).digest("base64");
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
        `Sec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    return new ServerWebSocket(socket, listeners, head);
  }

  get isOpen(): boolean {
    return !this.#over;
  }

  sendText(text: string): void {
    this.#send(0x1, Buffer.from(text, "utf8"));
  }

  sendBinary(bytes: Buffer): void {
    this.#send(0x2, bytes);
  }

  ping(): void {
    this.#send(0x9, Buffer.from("Ping from applink-emulated", "utf8"));
  }

  /** Sends a close frame and waits for the other side's. */
  close(code: number, reason = ""): void {
    const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
    payload.writeUInt16BE(code, 0);
    payload.write(reason, 2);
    this.#send(0x8, payload);
  }

  /** Half-open from now on: nothing is read, answered or sent, the TCP connection stays. */
  silence(): void {
    this.#silent = true;
  }

  /** Ends the TCP connection without a close frame. */
  cut(): void {
    this.#socket.destroy();
  }

  #send(opcode: Opcode, payload: Buffer): void {
    if (this.#silent || this.#over || !this.#socket.writable) return;
    this.#socket.write(frame(opcode, payload));
  }

  #receive(chunk: Buffer): void {
    if (this.#silent) return;
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    for (let taken = take(this.#buffer); taken !== null; taken = take(this.#buffer)) {
      this.#buffer = Buffer.from(taken.rest);
      this.#handle(taken.frame);
    }
  }

  #handle({ final, opcode, payload }: Frame): void {
    if (opcode === 0x9) {
      this.#listeners.onPing?.();
      this.#send(0xa, payload);
    } else if (opcode === 0xa) {
      this.#listeners.onPong?.();
    } else if (opcode === 0x8) {
      this.#closeCode = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
      this.#send(0x8, payload.subarray(0, 2));
      this.#socket.end();
    } else {
      this.#parts.push(payload);
      if (!final) return;
      const text = Buffer.concat(this.#parts).toString("utf8");
      this.#parts = [];
      this.#listeners.onText(text);
    }
  }

  #ended(): void {
    if (this.#over) return;
    this.#over = true;
    this.#listeners.onClose(this.#closeCode);
  }
}
