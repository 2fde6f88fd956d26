import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { readBody, type UploadedFile } from "../body.ts";
import { parseBody } from "./body.ts";
import type { CallLog, CallRecord } from "./calls.ts";
import { type FaultKind, type Faults, refusalOf } from "./faults.ts";
import type { MethodName } from "./method-names.ts";
import type { CallContext } from "./methods/handler.ts";
import { carryOut } from "./methods/registry.ts";
import type { BotRecord } from "./records.ts";
import { Refusal } from "./refusal.ts";
import { checkedParams, methodNamed } from "./request-schema.ts";
import type { World } from "./world.ts";

/** Called with every valid request before it is carried out. */
export type ArrivedHook = (method: MethodName) => void | Promise<void>;

/** Called after a request was carried out and before it is answered. */
export type AcceptedHook = (
  method: MethodName,
  params: Readonly<Record<string, unknown>>,
  result: unknown,
) => void | Promise<void>;

export interface ServerParts {
  world: World;
  faults: Faults;
  calls: CallLog;
  contextOf: (bot: BotRecord, files: ReadonlyMap<string, UploadedFile>) => CallContext;
  arrived: () => ArrivedHook | null;
  accepted: () => AcceptedHook | null;
}

const ROUTE = /^\/bot([^/]+)\/(?:test\/)?([A-Za-z0-9_]+)$/;
const FILE_ROUTE = /^\/file\/bot([^/]+)\/(.+)$/;

interface Request {
  incoming: IncomingMessage;
  response: ServerResponse;
  query: URLSearchParams;
  method: MethodName;
  bot: BotRecord;
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}

function answerRefusal(response: ServerResponse, refusal: Refusal): void {
  const { code, description, parameters } = refusal;
  answer(response, code, {
    ok: false,
    error_code: code,
    description,
    ...(parameters === undefined ? {} : { parameters }),
  });
}

/** The HTTP side of the emulated platform: one server, many bots, told apart by their tokens. */
export class BotApiServer {
  readonly #parts: ServerParts;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #port = 0;

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  get port(): number {
    return this.#port;
  }

  /** Listens on 127.0.0.1: on a free port at first, later on the same one. */
  async listen(): Promise<void> {
    if (this.#server !== null) return;
    const server = createServer((incoming, response) => void this.#serve(incoming, response));
    server.keepAliveTimeout = 60_000;
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.#port, "127.0.0.1", resolve);
    });
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the server has no port");
    this.#port = address.port;
    this.#server = server;
  }

  /** Closes the port and cuts every connection. */
  async close(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    for (const bot of this.#parts.world.bots.values()) bot.updates.abandon();
    await closed;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("date", new Date(this.#parts.world.clock()).toUTCString());
    try {
      const url = new URL(incoming.url ?? "/", "http://127.0.0.1");
      const path = decodeURIComponent(url.pathname);
      const file = FILE_ROUTE.exec(path);
      if (file !== null) return this.#serveFile(response, this.#bot(file[1] ?? ""), file[2] ?? "");
      const route = ROUTE.exec(path);
      if (route === null) throw new Refusal(404, "Not Found");
      const bot = this.#bot(route[1] ?? "");
      const method = methodNamed(route[2] ?? "");
      await this.#call({ incoming, response, query: url.searchParams, method, bot });
    } catch (error) {
      this.#failed(response, error);
    }
  }

  #failed(response: ServerResponse, error: unknown): void {
    if (response.destroyed || response.headersSent) return;
    // A fault of the emulator itself must be seen by the test that ran into it.
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const own = new Refusal(500, `Internal Server Error: emulator: ${text}`);
    answerRefusal(response, error instanceof Refusal ? error : own);
  }

  #bot(token: string): BotRecord {
    const bot = this.#parts.world.bots.get(token);
    if (bot?.revoked === false) return bot;
    throw new Refusal(401, /^\d+:/.test(token) ? "Unauthorized" : "Unauthorized: invalid token specified");
  }

  #serveFile(response: ServerResponse, _bot: BotRecord, path: string): void {
    for (const file of this.#parts.world.files.values()) {
      if (file.path !== path) continue;
      response.writeHead(200, { "content-type": "application/octet-stream", "content-length": file.bytes.length });
      response.end(file.bytes);
      return;
    }
    throw new Refusal(404, "Not Found");
  }

  async #call(request: Request): Promise<void> {
    const { incoming, response, method, bot } = request;
    const { faults, calls, world } = this.#parts;
    if (faults.take("unread", { method, botId: bot.user.id }) !== null) return void incoming.socket.destroy();
    const body = await readBody(incoming);
    const { params: raw, files } = parseBody(incoming.headers["content-type"], body, request.query);
    const params = checkedParams(method, raw);
    const record = calls.open(method, bot.user.id, params, world.clock());
    await this.#parts.arrived()?.(method);
    const fault = faults.take("read", { method, botId: bot.user.id, chat: raw.chat_id });
    try {
      const result = await this.#carryOut(request, { params, files, record, fault });
      if (fault?.kind === "cutBefore" || fault?.kind === "cutAfter" || fault?.kind === "stalls") {
        record.outcome = "cut";
        incoming.socket.destroy();
      } else if (fault?.kind === "garbage") answer(response, fault.status ?? 200, fault.body);
      else answer(response, 200, { ok: true, result });
    } catch (error) {
      record.outcome = "refused";
      if (error instanceof Refusal) record.refusal = { code: error.code, description: error.description };
      throw error;
    } finally {
      record.answeredAt = world.clock();
      world.signals.changed();
    }
  }

  async #carryOut(
    request: Request,
    call: {
      params: ReturnType<typeof checkedParams>;
      files: ReadonlyMap<string, UploadedFile>;
      record: CallRecord;
      fault: FaultKind | null;
    },
  ): Promise<unknown> {
    const { fault, params, record } = call;
    const { method, bot, response } = request;
    const refusal = fault === null ? null : refusalOf(fault);
    if (refusal !== null) throw refusal;
    if (fault?.kind === "cutBefore") return undefined;
    if (fault?.kind === "stalls" && fault.carriedOutFirst !== true) {
      await fault.until;
      return undefined;
    }
    if (fault?.kind === "slow" && fault.carriedOutFirst === false) await sleep(fault.ms);
    const context = this.#parts.contextOf(bot, call.files);
    const result = await carryOut(
      method,
      { ...context, onDisconnect: (withdraw) => response.once("close", withdraw) },
      params,
    );
    record.outcome = "ok";
    record.result = result;
    await this.#parts.accepted()?.(method, record.params, result);
    if (fault?.kind === "slow" && fault.carriedOutFirst !== false) await sleep(fault.ms);
    if (fault?.kind === "stalls") await fault.until;
    return result;
  }
}
