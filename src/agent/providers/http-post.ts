import http from "node:http";
import https from "node:https";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

export interface PostCall {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

export interface PostAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text, as it comes. Ends the request when it is left early. */
  readonly chunks: AsyncIterable<string>;
}

/**
 * One POST over `node:http` and the process's keep-alive agent: half the processor time of the global `fetch`
 * (docs/decisions/0002-model-calls.md). It follows no redirect: a key must not travel to an address that nobody configured.
 */
export async function postJson(call: PostCall): Promise<PostAnswer> {
  try {
    return await send(call);
  } catch (error) {
    // The server may close a kept connection in the moment it is used again; nothing was answered, so ask once more.
    if (error instanceof StaleConnection) return send(call);
    throw error;
  }
}

class StaleConnection extends Error {}

function send({ url, headers, body, signal }: PostCall): Promise<PostAnswer> {
  if (signal.aborted) return Promise.reject(abortError());
  const { promise, resolve, reject } = Promise.withResolvers<PostAnswer>();
  // As bytes: the socket's own way with long texts is several times slower.
  const bytes = Buffer.from(body);
  const open = url.protocol === "https:" ? https.request : http.request;
  const all = { "content-type": "application/json", accept: "text/event-stream, application/json", ...headers };
  const request = open(url, { method: "POST", headers: { ...all, "content-length": String(bytes.length) } });
  const abort = () => request.destroy(abortError());
  signal.addEventListener("abort", abort, { once: true });
  request.on("close", () => signal.removeEventListener("abort", abort));
  request.on("error", (error: NodeJS.ErrnoException) => {
    const stale = request.reusedSocket && error.code === "ECONNRESET" && !signal.aborted;
    reject(stale ? new StaleConnection(error.message) : error);
  });
  request.on("response", (response) => {
    resolve({ status: response.statusCode ?? 0, headers: flat(response.headers), chunks: textOf(response) });
  });
  request.end(bytes);
  return promise;
}

async function* textOf(response: http.IncomingMessage): AsyncIterable<string> {
  const decoder = new TextDecoder();
  try {
    for await (const chunk of decoded(response)) yield decoder.decode(chunk as Buffer, { stream: true });
    const rest = decoder.decode();
    if (rest !== "") yield rest;
  } finally {
    // Nothing to end when the body was read to its end: the connection is kept.
    if (!response.readableEnded) response.destroy();
  }
}

/** Some proxies compress although nobody asked them to (FC-310). */
function decoded(response: http.IncomingMessage): AsyncIterable<unknown> {
  const decompress = {
    gzip: createGunzip,
    "x-gzip": createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  }[String(response.headers["content-encoding"] ?? "").toLowerCase()];
  if (decompress === undefined) return response;
  const inflated = decompress();
  response.on("error", (error) => inflated.destroy(error));
  return response.pipe(inflated);
}

function flat(headers: http.IncomingHttpHeaders): Record<string, string> {
  const made: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) made[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return made;
}

function abortError(): DOMException {
  return new DOMException("The model call was aborted", "AbortError");
}
