import type { AddressInfo } from "node:net";
import { type ServerType, serve } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { ConfigError } from "../core/errors.ts";
import type { Clock, Logger } from "../core/runtime.ts";
import type { Settings } from "../core/settings.ts";
import {
  CHOOSE_HOST,
  CHOOSE_PORT,
  hostNeedsToken,
  hostUnknown,
  httpTexts,
  portForbidden,
  portTaken,
  SET_TOKEN,
} from "../core/texts/http.ts";
import {
  type BodyBounds,
  BodyRefused,
  type Caller,
  callerOf,
  createBodyBounds,
  crossSiteRefusal,
  isLoopbackHost,
  PUBLIC_BODIES,
  type ServerEnv,
  securityHeaders,
} from "./guard.ts";
import { createGuessLimit, createTokenCheck, type TokenCheck } from "./guesses.ts";
import { type HealthProvider, healthResponse, readyResponse } from "./health.ts";
import { addLogin } from "./login.ts";
import type { Metrics } from "./metrics.ts";
import type { Mounts } from "./mounts.ts";

const CLOSE_GRACE_MS = 1000;
/** A form without files is a few names and a token; who sends more is not asked who they are first. */
const FORM_BYTES = 65_536;

const PLATFORM: Caller = { loopback: false, operator: false, signedIn: false };

export interface HttpServerOptions {
  /** `host`, `port` (0: any free one) and `token` of the configuration, after `--port` and `SWITCHYARD_PORT`. */
  readonly settings: Settings["http"];
  /** Where `/` leads; null: nowhere. */
  readonly home: string | null;
  readonly mounts: Mounts;
  readonly health: HealthProvider;
  readonly metrics: Pick<Metrics, "text" | "contentType">;
  readonly clock: Clock;
  readonly log: Logger;
  /** Of public routes; default `PUBLIC_BODIES`. */
  readonly publicBodies?: BodyBounds;
  /** How long a look at a token takes after too many wrong ones; default a second. */
  readonly guessPauseMs?: number;
}

export interface HttpServer {
  /** Such as `http://127.0.0.1:4180`, with the port really taken. */
  readonly url: string;
  readonly port: number;
  /** Takes no new request; resolves when the port is free, at the latest a second later. */
  close(): Promise<void>;
}

/**
 * Starts the one HTTP server (OP-6). Rejects with a ConfigError when the address is not loopback and no token is set,
 * or when the port is taken.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host, port, token } = options.settings;
  if (!isLoopbackHost(host) && token === null) {
    throw new ConfigError([
      {
        path: "http.token",
        problem: hostNeedsToken(host),
        remedy: SET_TOKEN,
      },
    ]);
  }
  const app = createApp(options, token === null ? null : createTokenCheck(token));
  const server = serve({ fetch: app.fetch, hostname: host, port, overrideGlobalObjects: false });
  await new Promise<void>((resolve, reject) => {
    server.once("listening", resolve);
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenFault(error, host, port)));
  });
  const taken = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${taken}`,
    port: taken,
    close: () => closeServer(server),
  };
}

/** Requests under way may end; what still streams after `CLOSE_GRACE_MS` is cut, so that a page left open never holds a stop. */
function closeServer(server: ServerType): Promise<void> {
  return new Promise((resolve, reject) => {
    const cut = setTimeout(() => "closeAllConnections" in server && server.closeAllConnections(), CLOSE_GRACE_MS);
    server.close((error) => {
      clearTimeout(cut);
      if (error) reject(error);
      else resolve();
    });
  });
}

function createApp(options: HttpServerOptions, token: TokenCheck | null): Hono<ServerEnv> {
  const { mounts, health, metrics, home, log } = options;
  const guesses = createGuessLimit(options.clock, options.guessPauseMs);
  const bounded = createBodyBounds(options.publicBodies ?? PUBLIC_BODIES);
  const app = new Hono<ServerEnv>();
  app.use(async (c, next) => {
    const mount = mounts.find(c.req.path);
    const isPublic = mount?.access === "public";
    const refusal = isPublic ? null : crossSiteRefusal(c.req.raw, { token });
    const address = c.env.incoming.socket.remoteAddress ?? null;
    // The sender of a public route is proved by its handler, which takes no token.
    const caller = isPublic ? PLATFORM : await callerOf(c.req.raw.headers, address, { token, guesses });
    if (caller !== null) c.set("caller", caller);
    if (refusal !== null) c.res = c.text(refusal.message, refusal.status);
    else if (caller === null) c.res = c.text(httpTexts.tooManyTries, 429, { "retry-after": "1" });
    else await next();
    c.res = withHeaders(c.res);
    // A stranger's refused request is not read completely; a person's browser may finish sending, or it could not read the refusal.
    if (isPublic && c.res.status >= 400 && c.req.method !== "GET" && c.req.method !== "HEAD")
      c.res.headers.set("connection", "close");
  });
  const limitForm = bodyLimit({ maxSize: FORM_BYTES, onError: (c) => c.text(httpTexts.formTooLarge, 413) });
  app.use((c, next) => {
    const isForm = c.req.header("content-type")?.startsWith("application/x-www-form-urlencoded") === true;
    return isForm || c.req.path === "/login" ? limitForm(c, next) : next();
  });
  app.get("/healthz", (c) => healthResponse(health, c.var.caller.operator));
  app.get("/readyz", (c) => readyResponse(health, c.var.caller.operator));
  app.get("/metrics", async (c) => {
    if (!c.var.caller.operator) return unauthorised(c, token);
    return c.body(await metrics.text(), 200, { "content-type": metrics.contentType });
  });
  if (token !== null) addLogin(app, token, guesses);
  if (home !== null) app.get("/", (c) => c.redirect(home, 302));
  app.all("*", (c) => {
    const mount = mounts.find(c.req.path);
    if (mount === null) return c.notFound();
    if (mount.access === "operator" && !c.var.caller.operator) return unauthorised(c, token);
    return mount.handler(mount.access === "public" ? bounded(c.req.raw) : c.req.raw, c.var.caller);
  });
  app.notFound((c) => c.text(httpTexts.notFound, 404));
  app.onError((error, c) => {
    if (error instanceof BodyRefused) return c.text(httpTexts.bodyRefused(error.status), error.status);
    log.error({ err: error, path: c.req.path }, "an HTTP handler failed");
    return c.text(httpTexts.failed, 500);
  });
  return app;
}

/** A browser is led to the form, everything else gets the plain 401. */
function unauthorised(c: Context<ServerEnv>, token: TokenCheck | null): Response {
  const navigates = c.req.method === "GET" && c.req.header("sec-fetch-mode") === "navigate";
  if (token !== null && navigates) {
    const { pathname, search } = new URL(c.req.url);
    return c.redirect(`/login?next=${encodeURIComponent(pathname + search)}`, 303);
  }
  c.header("www-authenticate", "Bearer");
  return c.text(httpTexts.tokenNeeded, 401);
}

function withHeaders(response: Response): Response {
  const headers = new Headers(response.headers);
  securityHeaders(headers);
  return new Response(response.body, { status: response.status, headers });
}

function listenFault(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const remedy = CHOOSE_PORT;
  switch (error.code) {
    case "EADDRINUSE":
      return new ConfigError([{ path: "http.port", problem: portTaken(host, port), remedy }]);
    case "EACCES":
      return new ConfigError([{ path: "http.port", problem: portForbidden(port), remedy }]);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new ConfigError([
        {
          path: "http.host",
          problem: hostUnknown(host),
          remedy: CHOOSE_HOST,
        },
      ]);
    default:
      return error;
  }
}
