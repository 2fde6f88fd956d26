import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { Readable } from "node:stream";
import type { Api, ApiClientOptions } from "grammy";
import { throughProxies } from "../../../src/channel/proxies.ts";

type Fetch = NonNullable<ApiClientOptions["fetch"]>;
type FetchOptions = NonNullable<Parameters<Fetch>[1]>;

export type ApiSignal = NonNullable<Parameters<Api["getMe"]>[0]>;

/** grammY's types name the signal of an old polyfill; at run time it only listens for `abort`. */
export function apiSignal(signal: AbortSignal): ApiSignal {
  return signal as unknown as ApiSignal;
}

/** No connection stands after this: dial again. */
const CONNECT_MS = 4_000;
/** An idle connection is dropped before the platform or a router in between forgets it. */
const IDLE_CONNECTION_MS = 20_000;
/**
 * How long nothing may move on a connection before it counts as dead. A poll is answered after `POLL_SECONDS` at the latest;
 * a send is given longer, since giving it up leaves it in doubt (DL-3), and an upload longest: Telegram digests it first.
 */
const SILENCE_MS = { poll: 4_000, call: 30_000, upload: 120_000 } as const;
/** TCP keep-alive finds a peer that is gone while a long poll waits. */
const KEEP_ALIVE_MS = 5_000;

/**
 * A request that brought no usable answer. `left` is false only when the connection was never made, so the platform cannot
 * have seen it (DL-3). The message names no URL: the token is part of every one.
 */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly left: boolean;

  constructor(message: string, left: boolean) {
    super(message);
    this.left = left;
  }
}

/** One answer, read whole. */
export interface Downloaded {
  readonly status: number;
  readonly mime: string | null;
  readonly bytes: Buffer;
}

/** Told the `Date` header of every answer (FC-320). */
export type HearDate = (date: string | undefined) => void;

export interface Transport {
  /** What grammY calls for every method of the Bot API. */
  readonly fetch: Fetch;
  /** Reads a file. Follows no redirect, so the token never goes to another host. Rejects past `maxBytes`. */
  download(url: string, limits: { readonly maxBytes: number; readonly signal: AbortSignal }): Promise<Downloaded>;
  close(): void;
}

interface Call {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string | number>;
  readonly body: string | Readable | null;
  readonly signal: Pick<AbortSignal, "aborted" | "addEventListener" | "removeEventListener"> | null;
  readonly maxBytes: number;
  readonly silenceMs: number;
}

/**
 * HTTP for grammY over `node:http`. Measured per send on one core: 0.22 ms CPU this way, 0.44 ms with grammY's node-fetch,
 * 0.87 ms with the global fetch; and only a socket of our own knows whether a request left (DL-3).
 */
export function openTransport(apiRoot: string, hearDate: HearDate): Transport {
  const secure = apiRoot.startsWith("https:");
  const options = {
    keepAlive: true,
    keepAliveMsecs: KEEP_ALIVE_MS,
    timeout: IDLE_CONNECTION_MS,
    maxSockets: 64,
    ...throughProxies(),
  };
  const agent = secure ? new HttpsAgent(options) : new HttpAgent(options);

  const call = (it: Call): Promise<Downloaded> =>
    new Promise((resolve, reject) => {
      if (it.signal?.aborted === true) return reject(new TransportError("the request was called off", false));
      const start = { method: it.method, headers: it.headers, agent, timeout: it.silenceMs };
      const req = secure ? requestHttps(it.url, start) : requestHttp(it.url, start);
      const watch = watchDeparture(req, secure);
      const abort = (): void => void req.destroy(new Error("the request was called off"));
      it.signal?.addEventListener("abort", abort);
      const fail = (error: Error): void => reject(new TransportError(error.message, watch.left()));
      req.on("timeout", () => req.destroy(new Error(`nothing came for ${it.silenceMs} ms`)));
      req.on("error", fail);
      req.on("close", () => {
        watch.end();
        it.signal?.removeEventListener("abort", abort);
        if (it.body instanceof Readable) it.body.destroy();
      });
      req.on("response", (response) => {
        hearDate(response.headers.date);
        readAnswer(response, it.maxBytes).then(resolve, fail);
      });
      if (it.body instanceof Readable) it.body.on("error", (error) => req.destroy(error)).pipe(req);
      else req.end(it.body ?? undefined);
    });

  return {
    fetch: (async (url: unknown, init: FetchOptions = {}) => {
      const headers = { ...(init.headers as Record<string, string | number>) };
      const body = typeof init.body === "string" || init.body instanceof Readable ? init.body : null;
      if (typeof body === "string") headers["content-length"] = Buffer.byteLength(body);
      const signal = (init.signal ?? null) as Call["signal"];
      const silenceMs = silenceOf(String(url), body);
      const answer = await call({
        url: String(url),
        method: "POST",
        headers,
        body,
        signal,
        maxBytes: Infinity,
        silenceMs,
      });
      return { json: async () => apiAnswer(answer) };
      // grammY reads nothing of a response but `json()`.
    }) as unknown as Fetch,
    download: (url, { maxBytes, signal }) =>
      call({ url, method: "GET", headers: {}, body: null, signal, maxBytes, silenceMs: SILENCE_MS.call }),
    close: () => agent.destroy(),
  };
}

function silenceOf(url: string, body: Call["body"]): number {
  if (body instanceof Readable) return SILENCE_MS.upload;
  return /\/(getUpdates|getMe)$/.test(url) ? SILENCE_MS.poll : SILENCE_MS.call;
}

/** Whether the bytes of a request can have reached the wire: they are written the moment its connection stands. */
function watchDeparture(req: ClientRequest, secure: boolean): { left(): boolean; end(): void } {
  let stands = false;
  let timer: NodeJS.Timeout | undefined;
  req.on("socket", (socket) => {
    if (!socket.connecting) {
      stands = true;
      return;
    }
    timer = setTimeout(() => req.destroy(new Error(`no connection within ${CONNECT_MS} ms`)), CONNECT_MS);
    socket.once(secure ? "secureConnect" : "connect", () => {
      stands = true;
      clearTimeout(timer);
    });
  });
  return { left: () => stands, end: () => clearTimeout(timer) };
}

async function readAnswer(response: IncomingMessage, maxBytes: number): Promise<Downloaded> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) throw new Error(`the answer is longer than ${maxBytes} bytes`);
    parts.push(part);
  }
  if (!response.complete) throw new Error("the connection broke inside the answer");
  const mime = response.headers["content-type"]?.split(";")[0] ?? null;
  return { status: response.statusCode ?? 0, mime, bytes: Buffer.concat(parts) };
}

/**
 * The Bot API's envelope. A page with a 4xx status instead of it (a proxy's "too large") is a refusal too. Anything
 * else, a gateway's 502 page too, is an unreadable answer: the outcome of the request is unknown (DL-3).
 */
function apiAnswer(answer: Downloaded): unknown {
  const parsed = parseJson(answer.bytes.toString("utf8"));
  if (typeof parsed === "object" && parsed !== null && "ok" in parsed && typeof parsed.ok === "boolean") return parsed;
  if (answer.status >= 400 && answer.status < 500)
    return { ok: false, error_code: answer.status, description: `HTTP ${answer.status}` };
  throw new TransportError(`unreadable answer with HTTP ${answer.status}`, true);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
