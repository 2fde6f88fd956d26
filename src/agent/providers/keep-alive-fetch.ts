import http from "node:http";
import https from "node:https";

/**
 * `fetch` for model calls over `node:http` and the process's keep-alive agent: half the processor time of the global one
 * (docs/decisions/0002-model-calls.md). It serves what the SDKs send: a method, headers, a text body, a signal. It follows
 * no redirect: a key must not travel to an address that nobody configured.
 */
export const keepAliveFetch: typeof globalThis.fetch = async (input, init) => {
  const body = init?.body ?? "";
  if (typeof input === "object" && "method" in input) throw new TypeError("keepAliveFetch takes a URL");
  if (typeof body !== "string") throw new TypeError("keepAliveFetch sends text bodies only");
  // As bytes: the socket's own way with long texts is several times slower.
  const bytes = Buffer.from(body);
  const call = {
    url: new URL(input),
    method: init?.method ?? "GET",
    headers: { ...plainHeaders(init?.headers), "content-length": String(bytes.length) },
    bytes,
    signal: init?.signal ?? null,
  };
  try {
    return await send(call);
  } catch (error) {
    // The server may close a kept connection in the moment it is used again; nothing was answered, so ask once more.
    if (error instanceof StaleConnection) return send(call);
    throw error;
  }
};

interface Call {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  readonly signal: AbortSignal | null;
}

class StaleConnection extends Error {}

function send(call: Call): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const { signal } = call;
  if (signal?.aborted === true) return Promise.reject(abortError());
  const open = call.url.protocol === "https:" ? https.request : http.request;
  const request = open(call.url, { method: call.method, headers: call.headers });
  const abort = () => request.destroy(abortError());
  signal?.addEventListener("abort", abort, { once: true });
  request.on("close", () => signal?.removeEventListener("abort", abort));
  request.on("error", (error: NodeJS.ErrnoException) => {
    const stale = request.reusedSocket && error.code === "ECONNRESET" && signal?.aborted !== true;
    reject(stale ? new StaleConnection(error.message) : error);
  });
  request.on("response", (response) => resolve(toResponse(response)));
  request.end(call.bytes);
  return promise;
}

function toResponse(response: http.IncomingMessage): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  const status = response.statusCode ?? 0;
  const empty = status === 204 || status === 304;
  if (empty) response.resume();
  return new Response(empty ? null : bodyOf(response), { status, statusText: response.statusMessage ?? "", headers });
}

function bodyOf(response: http.IncomingMessage): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      response.on("data", (chunk: Buffer) => {
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) response.pause();
      });
      response.on("end", () => controller.close());
      response.on("error", (error) => controller.error(error));
    },
    pull() {
      response.resume();
    },
    cancel() {
      response.destroy();
    },
  });
}

function plainHeaders(headers: RequestInit["headers"]): Record<string, string> {
  if (headers === undefined) return {};
  return Object.fromEntries(new Headers(headers).entries());
}

function abortError(): DOMException {
  return new DOMException("The model call was aborted", "AbortError");
}
