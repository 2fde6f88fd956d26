import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { readBody } from "../body.ts";
import { parseBody } from "./body.ts";
import type { CallLog, CallRecord } from "./calls.ts";
import { type FaultKind, type Faults, RESPONSE_URL, refusalOf } from "./faults.ts";
import { servesFile, takesResponse, takesUpload } from "./file-routes.ts";
import { answer, answerRefusal } from "./http-answer.ts";
import { useResponseUrl } from "./interactions.ts";
import { factsOf, type MethodName } from "./method-names.ts";
import type { CallContext } from "./methods/handler.ts";
import { needScope } from "./methods/place.ts";
import { carryOut } from "./methods/registry.ts";
import type { RateLimiter } from "./rate-limits.ts";
import type { AppRecord } from "./records.ts";
import { Refusal, refused } from "./refusal.ts";
import { checkedArgs, methodNamed } from "./request-schema.ts";
import type { World } from "./world.ts";

/** Called with every valid request before it is carried out. */
export type ArrivedHook = (method: MethodName) => void | Promise<void>;

/** Called after a request was carried out and before it is answered. */
export type AcceptedHook = (
  method: MethodName,
  args: Readonly<Record<string, unknown>>,
  result: unknown,
) => void | Promise<void>;

export interface ServerParts {
  world: World;
  faults: Faults;
  calls: CallLog;
  limiter: RateLimiter | null;
  arrived: () => ArrivedHook | null;
  accepted: () => AcceptedHook | null;
}

interface Request {
  incoming: IncomingMessage;
  response: ServerResponse;
  method: MethodName;
  app: AppRecord;
  raw: Record<string, unknown>;
}

/** The HTTP side of the emulated platform: Web API, files, response URLs, and the door to Socket Mode. */
export class SlackServer {
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
    server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.#port, "127.0.0.1", resolve);
    });
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the server has no port");
    this.#port = address.port;
    this.#parts.world.origin = `http://127.0.0.1:${this.#port}`;
    this.#server = server;
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

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const app = this.#parts.world.apps.get(url.searchParams.get("app_id") ?? "");
    if (app === undefined || !url.pathname.startsWith("/link")) {
      socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    app.sockets.upgrade(request, socket, head, url.searchParams.get("ticket") ?? "");
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? "/", "http://127.0.0.1");
    const { world } = this.#parts;
    response.setHeader("date", new Date(world.clock()).toUTCString());
    try {
      if (url.pathname.startsWith("/upload/v1/")) await takesUpload(world, incoming, response, url.pathname.slice(11));
      else if (url.pathname.startsWith("/files-pri/")) servesFile(world, incoming, response, url);
      else if (url.pathname.startsWith("/response/")) await this.#response(incoming, response, url.pathname.slice(10));
      else if (url.pathname.startsWith("/api/")) await this.#api(incoming, response, url);
      else answer(response, 404, "<html>Not Found</html>", { "content-type": "text/html" });
    } catch (error) {
      if (response.destroyed || response.headersSent) return;
      // A fault of the emulator itself must be seen by the test that ran into it.
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      const own = new Refusal("internal_error", { status: 500, extra: { emulator: text } });
      answerRefusal(response, error instanceof Refusal ? error : own);
    }
  }

  /** An answer to a call at its own address. */
  async #response(incoming: IncomingMessage, response: ServerResponse, key: string): Promise<void> {
    const { faults, world } = this.#parts;
    const call = world.responseUrls.get(key);
    const target = { method: RESPONSE_URL, appId: call?.appId ?? "", channel: call?.conversation.id };
    const fault = faults.take("read", target);
    const refusal = fault === null ? null : refusalOf(fault);
    if (refusal !== null) {
      if (fault?.kind === "429" || fault?.kind === "5xx") throw refusal;
      return answer(response, 404, { ok: false, error: refusal.error });
    }
    if (fault?.kind === "slow" && fault.carriedOutFirst === false) await sleep(fault.ms);
    if (fault?.kind === "cutBefore") return void incoming.socket.destroy();
    if (fault?.kind === "cutAfter" || (fault?.kind === "slow" && fault.carriedOutFirst !== false)) {
      useResponseUrl(
        world,
        key,
        parseBody(incoming.headers["content-type"], await readBody(incoming), new URLSearchParams()),
      );
      if (fault.kind === "slow") await sleep(fault.ms);
      return void incoming.socket.destroy();
    }
    await takesResponse(world, incoming, response, key);
  }

  async #api(incoming: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const name = url.pathname.slice(5);
    const header = /^Bearer (.+)$/i.exec(incoming.headers.authorization ?? "")?.[1];
    const { faults, world } = this.#parts;
    const appId = header === undefined ? "" : (world.appByToken(header)?.app.id ?? "");
    if (faults.take("unread", { method: name, appId }) !== null) return void incoming.socket.destroy();
    const body = await readBody(incoming);
    const raw = parseBody(incoming.headers["content-type"], body, url.searchParams);
    const method = methodNamed(name);
    const app = this.#authorized(method, header ?? (typeof raw.token === "string" ? raw.token : undefined));
    await this.#call({ incoming, response, method, app, raw });
  }

  #authorized(method: MethodName, token: string | undefined): AppRecord {
    if (token === undefined || token === "") throw refused("not_authed");
    const found = this.#parts.world.appByToken(token);
    if (found === undefined) throw refused("invalid_auth");
    const { app, kind } = found;
    if (app.tokenState === "revoked") throw refused("token_revoked");
    if (app.tokenState === "inactive") throw refused("account_inactive");
    const facts = factsOf(method);
    if (kind !== facts.token) throw refused("not_allowed_token_type");
    // An app-level token has its one scope; the others are the bot token's.
    if (kind === "bot") for (const scope of facts.scopes) needScope(app, scope);
    return app;
  }

  async #call(request: Request): Promise<void> {
    const { incoming, response, method, app, raw } = request;
    const { faults, calls, limiter, world } = this.#parts;
    limiter?.spendMethod(app.id, method, world.clock());
    const args = checkedArgs(method, raw);
    const record = calls.open(method, app.id, args, world.clock());
    await this.#parts.arrived()?.(method);
    const fault = faults.take("read", { method, appId: app.id, channel: raw.channel ?? raw.channel_id });
    try {
      const result = await this.#carryOut(request, { args, record, fault });
      if (fault?.kind === "cutBefore" || fault?.kind === "cutAfter" || fault?.kind === "stalls") {
        record.outcome = "cut";
        incoming.socket.destroy();
      } else if (fault?.kind === "garbage") {
        answer(response, fault.status ?? 200, fault.body, { "content-type": "text/html" });
      } else {
        answer(response, 200, { ok: true, ...result }, { "x-oauth-scopes": [...app.scopes].join(",") });
      }
    } catch (error) {
      record.outcome = "refused";
      if (error instanceof Refusal) record.refusal = error.error;
      throw error;
    } finally {
      record.answeredAt = world.clock();
      world.signals.changed();
    }
  }

  async #carryOut(
    request: Request,
    call: { args: ReturnType<typeof checkedArgs>; record: CallRecord; fault: FaultKind | null },
  ): Promise<Record<string, unknown>> {
    const { fault, args, record } = call;
    const { method, app } = request;
    const { limiter, world } = this.#parts;
    const refusal = fault === null ? null : refusalOf(fault);
    if (refusal !== null) throw refusal;
    if (fault?.kind === "cutBefore") return {};
    if (fault?.kind === "stalls" && fault.carriedOutFirst !== true) {
      await fault.until;
      return {};
    }
    if (fault?.kind === "slow" && fault.carriedOutFirst === false) await sleep(fault.ms);
    const context: CallContext = {
      world,
      app,
      spendMessage: (conversation) => limiter?.spendMessage(app.id, conversation.id, world.clock()),
    };
    const result = await carryOut(method, context, args);
    record.outcome = "ok";
    record.result = result;
    await this.#parts.accepted()?.(method, record.args, result);
    if (fault?.kind === "slow" && fault.carriedOutFirst !== false) await sleep(fault.ms);
    if (fault?.kind === "stalls") await fault.until;
    return result;
  }
}
