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
  /** Of one answer to a request from its first byte, however regularly something comes. */
  readonly totalMs: number;
}

/**
 * A server on the network, over streamable HTTP. A message over 10 MiB, a response over 64 MiB, an answer that falls silent for two
 * minutes, or one that takes longer than the longest call, ends its request (FC-406).
 */
export function httpTransport({ url, headers }: HttpServer, totalMs: number): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: boundedFetch({ responseBytes: MAX_RESPONSE, silentMs: SILENT_MS, totalMs }),
  });
}

export function boundedFetch(bounds: HttpBounds): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
    // The stream of what a server says by itself may be silent for ever; all it sends is bounded all the same.
    const { responseBytes, silentMs, totalMs } = bounds;
    const times = init?.method === "POST" ? { silentMs, totalMs } : null;
    const { status, statusText, headers } = response;
    const body = response.body.pipeThrough(bounded(isStream, responseBytes, times));
    return new Response(body, { status, statusText, headers });
  };
}

/**
 * In a stream of events a message is what stands between two empty lines: every `data:` line of it counts, so that one without an end is
 * bounded too.
 */
function bounded(
  isStream: boolean,
  responseBytes: number,
  times: Pick<HttpBounds, "silentMs" | "totalMs"> | null,
): TransformStream<Uint8Array, Uint8Array> {
  let all = 0;
  let message = 0;
  let line = 0;
  const timers: NodeJS.Timeout[] = [];
  const over = (): void => timers.forEach(clearTimeout);
  return new TransformStream({
    start: (controller) => {
      if (times === null) return;
      const end = (reason: string) => (): void => {
        over();
        controller.error(new Error(reason));
      };
      timers.push(setTimeout(end(serverTexts.ending.fellSilent), times.silentMs).unref());
      timers.push(setTimeout(end(serverTexts.ending.tooSlow), times.totalMs).unref());
    },
    transform: (chunk, controller) => {
      timers[0]?.refresh();
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
      over();
      controller.error(new Error(serverTexts.ending.tooLarge));
    },
    flush: over,
  });
}

function lengthOf(line: Uint8Array): number {
  return line.at(-1) === RETURN ? line.length - 1 : line.length;
}
