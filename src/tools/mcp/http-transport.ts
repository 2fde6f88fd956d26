import { type FetchLike, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { McpServerSettings } from "../../core/settings.ts";

type HttpServer = Extract<McpServerSettings["transport"], { kind: "http" }>;

const MAX_MESSAGE = 10 * 1024 * 1024;
const NEWLINE = 0x0a;

/** A server on the network, over streamable HTTP; a message larger than 10 MiB ends its request. */
export function httpTransport({ url, headers }: HttpServer): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: boundedFetch,
  });
}

const boundedFetch: FetchLike = async (url, init) => {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(bounded(isStream)), { status, statusText, headers });
};

/** In a stream of events a message is one line. */
function bounded(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform: (chunk, controller) => {
      const newline = isStream ? chunk.lastIndexOf(NEWLINE) : -1;
      bytes = newline < 0 ? bytes + chunk.length : chunk.length - newline - 1;
      if (bytes > MAX_MESSAGE) controller.error(new Error("it sent a message that is too large"));
      else controller.enqueue(chunk);
    },
  });
}
