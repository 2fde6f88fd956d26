import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { readBody } from "../body.ts";
import { parseBody } from "./body.ts";
import type { CallLog, CallRecord } from "./calls.ts";
import { type FaultKind, type Faults, refusalOf } from "./faults.ts";
import type { GatewayServer } from "./gateway/server.ts";
import type { RateLimiter } from "./rate-limits.ts";
import type { BotRecord } from "./records.ts";
import { notFound, Refusal, unauthorized } from "./refusal.ts";
import { checkBody, hasBody } from "./request-schema.ts";
import { type MatchedRoute, type RouteName, routeOf } from "./route-table.ts";
import type { CallContext } from "./routes/handler.ts";
import { carryOut, isOpen } from "./routes/registry.ts";
import type { World } from "./world.ts";

/** Called with every valid request before it is carried out. */
export type ArrivedHook = (method: RouteName) => void | Promise<void>;

/** Called after a request was carried out and before it is answered. */
export type AcceptedHook = (
  method: RouteName,
  params: { path: Readonly<Record<string, string>>; body: unknown },
  result: unknown,
) => void | Promise<void>;

export interface ServerParts {
  world: World;
  faults: Faults;
  calls: CallLog;
  gateway: GatewayServer;
  limiter: RateLimiter | null;
  arrived: () => ArrivedHook | null;
  accepted: () => AcceptedHook | null;
}

interface Request {
  incoming: IncomingMessage;
  response: ServerResponse;
  url: URL;
  route: MatchedRoute;
  bot: BotRecord | null;
}

const API = /^\/api\/v10(\/.*)$/;

/** The HTTP side of the emulated platform: REST, files and the gateway's upgrades on one port. */
export class DiscordServer {
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
    server.on("upgrade", (request, socket, head) => this.#parts.gateway.upgrade(request, socket, head));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.#port, "127.0.0.1", resolve);
    });
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the server has no port");
    this.#port = address.port;
    this.#server = server;
    this.#parts.world.servedAt(`http://127.0.0.1:${this.#port}`);
  }

  /** Closes the port and cuts every connection. */
  async close(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("date", new Date(this.#parts.world.clock()).toUTCString());
    try {
      const url = new URL(incoming.url ?? "/", "http://127.0.0.1");
      if (url.pathname.startsWith("/attachments/")) return this.#serveFile(response, decodeURI(url.pathname));
      const path = API.exec(url.pathname)?.[1];
      const route = path === undefined ? null : routeOf(incoming.method ?? "GET", path);
      if (route === null) throw notFound(0, "404: Not Found");
      if (route === "method") throw new Refusal(405, 0, "405: Method Not Allowed");
      const bot = isOpen(route.name) ? null : this.#bot(incoming.headers.authorization);
      await this.#call({ incoming, response, url, route, bot });
    } catch (error) {
      this.#failed(response, error);
    }
  }

  #answer(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
    if (body === undefined) {
      response.writeHead(204, headers).end();
      return;
    }
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const length = String(Buffer.byteLength(text));
    response.writeHead(status, { ...headers, "content-type": "application/json", "content-length": length });
    response.end(text);
  }

  #failed(response: ServerResponse, error: unknown): void {
    if (response.destroyed || response.headersSent) return;
    if (error instanceof Refusal) {
      this.#answer(response, error.status, error.body(), error.headers());
      return;
    }
    // A fault of the emulator itself must be seen by the test that ran into it.
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#answer(response, 500, { message: `500: Internal Server Error: emulator: ${text}`, code: 0 });
  }

  #bot(authorization: string | undefined): BotRecord {
    const token = /^Bot (\S+)$/.exec(authorization ?? "")?.[1];
    const bot = token === undefined ? undefined : this.#parts.world.bots.get(token);
    if (bot === undefined || bot.revoked) throw unauthorized();
    return bot;
  }

  #serveFile(response: ServerResponse, path: string): void {
    for (const file of this.#parts.world.files.values()) {
      if (file.path !== path) continue;
      response.writeHead(200, { "content-type": file.mimeType, "content-length": file.bytes.length });
      response.end(file.bytes);
      return;
    }
    throw notFound(0, "404: Not Found");
  }

  async #call(request: Request): Promise<void> {
    const { incoming, response, route, bot, url } = request;
    const { faults, calls, world, limiter } = this.#parts;
    const target = {
      method: route.name,
      botId: bot?.user.id,
      channel: route.path.channel_id ?? channelOfCall(world, route.path.webhook_token),
    };
    if (faults.take("unread", target) !== null) return void incoming.socket.destroy();
    const { json, files } = parseBody(incoming.headers["content-type"], await readBody(incoming));
    const limits = limiter?.spend(route, bot?.user.id ?? null, world.clock()) ?? {};
    const body = hasBody(route.name) ? (json ?? {}) : null;
    checkBody(route.name, body);
    const record = calls.open({
      method: route.name,
      botId: bot?.user.id ?? null,
      path: route.path,
      query: Object.fromEntries(url.searchParams),
      body,
      files: [...files.values()].map((file) => file.name),
      at: world.clock(),
    });
    await this.#parts.arrived()?.(route.name);
    const fault = faults.take("read", target);
    const { path } = route;
    const context = { world, path, query: url.searchParams, files, gatewayUrl: `ws://127.0.0.1:${this.#port}` };
    try {
      const result = await this.#carryOut(request, { context, record, fault });
      if (fault?.kind === "cutBefore" || fault?.kind === "cutAfter" || fault?.kind === "stalls") {
        record.outcome = "cut";
        incoming.socket.destroy();
      } else if (fault?.kind === "garbage") this.#answer(response, fault.status ?? 200, fault.body, limits);
      else this.#answer(response, 200, result, limits);
    } catch (error) {
      record.outcome = "refused";
      if (error instanceof Refusal) {
        record.refusal = { status: error.status, code: error.code, description: error.description };
      }
      throw error;
    } finally {
      record.answeredAt = world.clock();
      world.signals.changed();
    }
  }

  async #carryOut(
    request: Request,
    call: { context: CallContext; record: CallRecord; fault: FaultKind | null },
  ): Promise<unknown> {
    const { context, fault, record } = call;
    const { bot, route } = request;
    const refusal = fault === null ? null : refusalOf(fault);
    if (refusal !== null) throw refusal;
    if (fault?.kind === "cutBefore") return undefined;
    if (fault?.kind === "stalls" && fault.carriedOutFirst !== true) {
      await fault.until;
      return undefined;
    }
    if (fault?.kind === "slow" && fault.carriedOutFirst === false) await sleep(fault.ms);
    const result = carryOut(route.name, context, bot, record.body);
    record.outcome = "ok";
    record.result = result;
    await this.#parts.accepted()?.(route.name, { path: record.path, body: record.body }, result);
    if (fault?.kind === "slow" && fault.carriedOutFirst !== false) await sleep(fault.ms);
    if (fault?.kind === "stalls") await fault.until;
    return result;
  }
}

/** Answers to a call name its token, not the conversation it was made in. */
function channelOfCall(world: World, token: string | undefined): string | undefined {
  if (token === undefined) return undefined;
  return [...world.interactions.values()].find((record) => record.token === token)?.channel.id;
}
