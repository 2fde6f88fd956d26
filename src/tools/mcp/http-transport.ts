import { type FetchLike, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { McpServerSettings } from "../../core/settings.ts";
import { serverTexts } from "../../core/texts/agent/tool-calls.ts";

type HttpServer = Extract<McpServerSettings["transport"], { kind: "http" }>;

const MAX_MESSAGE = 10 * 1024 * 1024;
/** Of one response, however many messages it has (FC-406). */
const MAX_RESPONSE = 64 * 1024 * 1024;
/** Between two pieces of the answer to a request that has begun; a server that is at work sends comments or progress. */
const SILENT_MS = 120_000;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

export interface HttpBounds {
  readonly responseBytes: number;
  readonly silentMs: number;
}

/**
 * A server on the network, over streamable HTTP. A message over 10 MiB, a response over 64 MiB, or an answer that falls silent for two
 * minutes ends its request (FC-406).
 */
export function httpTransport(
  { url, headers }: HttpServer,
  bounds: HttpBounds = { responseBytes: MAX_RESPONSE, silentMs: SILENT_MS },
): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: boundedFetch(bounds),
  });
}

export function boundedFetch(bounds: HttpBounds): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
    // The stream of what a server says by itself may be silent for ever; all it sends is bounded all the same.
    const silentMs = init?.method === "POST" ? bounds.silentMs : null;
    const { status, statusText, headers } = response;
    const body = response.body.pipeThrough(bounded(isStream, { responseBytes: bounds.responseBytes, silentMs }));
    return new Response(body, { status, statusText, headers });
  };
}

/**
 * In a stream of events a message is what stands between two empty lines: every `data:` line of it counts, so that one without an end is
 * bounded too.
 */
function bounded(
  isStream: boolean,
  { responseBytes, silentMs }: { readonly responseBytes: number; readonly silentMs: number | null },
): TransformStream<Uint8Array, Uint8Array> {
  let all = 0;
  let message = 0;
  let line = 0;
  let timer: NodeJS.Timeout | undefined;
  const late = (controller: TransformStreamDefaultController<Uint8Array>): NodeJS.Timeout =>
    setTimeout(() => controller.error(new Error(serverTexts.ending.fellSilent)), silentMs ?? 0).unref();
  return new TransformStream({
    start: (controller) => {
      if (silentMs !== null) timer = late(controller);
    },
    transform: (chunk, controller) => {
      timer?.refresh();
      all += chunk.length;
      message += chunk.length;
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); isStream && at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        line += lengthOf(chunk.subarray(from, at));
        if (line === 0) message = chunk.length - at - 1;
        line = 0;
        from = at + 1;
      }
      line += lengthOf(chunk.subarray(from));
      if (message <= MAX_MESSAGE && all <= responseBytes) return controller.enqueue(chunk);
      clearTimeout(timer);
      controller.error(new Error(serverTexts.ending.tooLarge));
    },
    flush: () => clearTimeout(timer),
  });
}

function lengthOf(line: Uint8Array): number {
  return line.at(-1) === RETURN ? line.length - 1 : line.length;
}
