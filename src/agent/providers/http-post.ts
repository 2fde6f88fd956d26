import { createHash } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { ModelRequest, StepEvent } from "../../core/model.ts";
import { modelRefText } from "../../core/models.ts";
import type { Quirks } from "../../core/quirks.ts";
import type { ProviderSettings } from "../../core/settings.ts";
import { ANSWER_TOO_LARGE, ENDED_WITHOUT_END } from "../../core/texts/agent/wire.ts";
import { demo } from "./demo/demo.ts";
import { requestTokens } from "./estimate.ts";
import { ProviderRefusal, UnreadableAnswer } from "./model-error.ts";
import { callIdsOf, createAnswer } from "./read/answer.ts";
import { readAnthropic } from "./read/anthropic.ts";
import { streamEvents } from "./read/events.ts";
import { readGoogle } from "./read/google.ts";
import { readChat } from "./read/openai-chat.ts";
import { readResponses } from "./read/openai-responses.ts";
import { writeAnthropic } from "./wire/anthropic.ts";
import { jsonText } from "./wire/conversation.ts";
import { writeGoogle } from "./wire/google.ts";
import { writeChat } from "./wire/openai-chat.ts";
import { writeResponses } from "./wire/openai-responses.ts";
import type { CallContext, Form, ModelProvider, Protocol } from "./wire/protocol.ts";

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
 * (docs/decisions/0002-model-calls.md). It follows no redirect: a key must never be sent to an address that is not configured.
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

/** Of one answer, after decompression. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

async function* textOf(response: http.IncomingMessage): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  try {
    for await (const chunk of decoded(response)) {
      // A model that streams for ever would fill the memory (FC-406); the turn's own limit bounds its time.
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_ANSWER_BYTES) throw new UnreadableAnswer(ANSWER_TOO_LARGE);
      yield decoder.decode(chunk as Buffer, { stream: true });
    }
    const rest = decoder.decode();
    if (rest !== "") yield rest;
  } finally {
    // Nothing to end when the body was read to its end: the connection is kept.
    if (!response.readableEnded) response.destroy();
  }
}

/** Some proxies compress without being asked to (FC-310). */
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

const MAX_ERROR_CHARACTERS = 64_000;

/** A provider over HTTP: one request per step, put by its protocol's strict form, read by its tolerant reader (FC-301, FC-310). */
export function httpProvider(protocol: Protocol, settings: ProviderSettings): ModelProvider {
  const baseUrl = (settings.baseUrl ?? protocol.baseUrl).replace(/\/+$/, "");
  // An address without a path: some servers want it so, most below /v1 (FC-322). What answered is kept.
  let root = baseUrl;

  async function* step(request: ModelRequest, context: CallContext): AsyncIterable<StepEvent> {
    const form: Form = { ...context.form, maker: makerOf(request, settings, baseUrl) };
    const { path, headers, body } = protocol.write(request, form, settings);
    const { signal } = context;
    const ask = (from: string) => postJson({ url: new URL(`${from}${path}`), headers, body: jsonText(body), signal });
    let response = await ask(root);
    if (root === baseUrl && isNotFound(response.status) && new URL(baseUrl).pathname === "/") {
      const words = await errorBody(response.chunks);
      const below = await ask(`${baseUrl}/v1`);
      if (isNotFound(below.status)) {
        await errorBody(below.chunks);
        throw new ProviderRefusal(response.status, response.headers, words);
      }
      root = `${baseUrl}/v1`;
      response = below;
    }
    if (response.status < 200 || response.status > 299) {
      throw new ProviderRefusal(response.status, response.headers, await errorBody(response.chunks));
    }
    const answer = createAnswer({
      usedIds: callIdsOf(request.messages),
      maker: form.maker,
      textCalls: textCallsOf(request, form.quirks),
      estimate: (text) => ({ input: requestTokens(request), output: Math.ceil(text.length / 3.6), cached: 0 }),
    });
    const reader = protocol.read(answer);
    for await (const event of streamEvents(withLife(response.chunks, context))) {
      if (event.type === "value") reader.accept(event.value);
      else if (event.type === "over") answer.whole();
      else answer.damaged();
      yield* answer.take();
    }
    reader.end?.();
    const done = answer.done();
    if (done === null) throw new UnreadableAnswer(ENDED_WITHOUT_END);
    yield* answer.take();
    yield done;
  }

  return { step };
}

function isNotFound(status: number): boolean {
  return status === 404 || status === 405;
}

/** FC-316: any byte is life, a comment too. */
async function* withLife(chunks: AsyncIterable<string>, { alive }: CallContext): AsyncIterable<string> {
  for await (const chunk of chunks) {
    alive();
    yield chunk;
  }
}

async function errorBody(chunks: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const chunk of chunks) {
    text += chunk;
    if (text.length > MAX_ERROR_CHARACTERS) break;
  }
  return text;
}

/** FC-302: what one provider, base address and model made; a hash, since an address may hold a name and a password. */
function makerOf({ model }: ModelRequest, settings: ProviderSettings, baseUrl: string): string {
  return createHash("sha256")
    .update(JSON.stringify([settings.type, baseUrl, modelRefText(model)]))
    .digest("hex")
    .slice(0, 12);
}

function textCallsOf({ tools }: ModelRequest, quirks: Quirks): readonly string[] | null {
  return quirks.textCalls && quirks.tools !== "none" && tools.length > 0 ? tools.map(({ name }) => name) : null;
}

export interface ProviderOptions {
  /** Milliseconds between two deltas of the demo model. */
  readonly demoDelayMs: number;
}

const PROTOCOLS: Readonly<Record<Exclude<ProviderSettings["type"], "demo">, Protocol>> = {
  openai: { baseUrl: "https://api.openai.com/v1", write: writeResponses, read: readResponses },
  anthropic: { baseUrl: "https://api.anthropic.com/v1", write: writeAnthropic, read: readAnthropic },
  google: { baseUrl: "https://generativelanguage.googleapis.com/v1beta", write: writeGoogle, read: readGoogle },
  "openai-compatible": { baseUrl: "http://127.0.0.1:11434/v1", write: writeChat, read: readChat },
};

export function openProvider(settings: ProviderSettings, options: ProviderOptions): ModelProvider {
  return settings.type === "demo" ? demo(options) : httpProvider(PROTOCOLS[settings.type], settings);
}
