import {
  Client,
  type FetchLike,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import type { McpServerSettings } from "../../core/settings.ts";
import { serverTexts } from "../../core/texts/agent/tool-calls.ts";
import { StdioTransport } from "./stdio-transport.ts";

const PING_MS = 10_000;
/** With progress; without it a call ends at `mcp.servers.*.timeout`. */
const LONGEST_CALL_MS = 600_000;
/** How long a server on the network is given to hear that its session ends. */
const GOODBYE_MS = 1_000;
/** Several changes at once are one. */
const CHANGED_MS = 100;
/** Only what must be there: one odd tool must not hide the others, so each is checked by itself later. */
const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const answer = z.looseObject({});

/** Connects through the official client: handshake, cancelling, notifications and both transports are its business. */
export async function connectWithSdk(server: McpServerSettings, options: ConnectOptions): Promise<McpConnection> {
  const client = new Client(
    { name: "switchyard", version: options.version },
    {
      capabilities: {},
      listChanged: {
        tools: { autoRefresh: false, debounceMs: CHANGED_MS, onChanged: () => options.onToolsChanged() },
      },
    },
  );
  const transport = transportOf(server, options);
  client.onerror = (error) => options.onLine(`[protocol] ${error.message}`.slice(0, 500));
  const closed = new Promise<string>((resolve) => {
    client.onclose = () =>
      resolve((transport instanceof StdioTransport ? transport.ending : null) ?? serverTexts.ending.closed);
  });
  try {
    await client.connect(transport, { signal: options.signal, timeout: options.timeoutMs });
  } catch (error) {
    // Of a process that ended by itself, how it ended says more than the broken handshake.
    const ending = transport instanceof StdioTransport ? transport.ending : null;
    await transport.close();
    throw ending === null ? error : new Error(ending, { cause: error });
  }
  return {
    closed,
    list: (limits) => listTools(client, limits),
    call: (tool, args, { signal, timeoutMs }) =>
      client
        .request({ method: "tools/call", params: { name: tool, arguments: args } }, answer, {
          signal,
          timeout: timeoutMs,
          // A server that says how far it is gets more time, up to a bound (FC-323).
          onprogress: () => undefined,
          resetTimeoutOnProgress: true,
          maxTotalTimeout: Math.max(timeoutMs, LONGEST_CALL_MS),
        })
        .catch((error: unknown) => {
          signal.throwIfAborted();
          throw callError(error);
        }),
    alive: () =>
      client.ping({ timeout: PING_MS }).then(
        () => true,
        // A server that does not know the method has answered (FC-323).
        (error: unknown) => error instanceof ProtocolError,
      ),
    close: async () => {
      if (transport instanceof StreamableHTTPClientTransport) await goodbye(transport);
      await client.close();
    },
  };
}

function transportOf({ transport }: McpServerSettings, { onLine }: ConnectOptions): Transport {
  switch (transport.kind) {
    case "stdio":
      return new StdioTransport(transport, onLine);
    case "http":
      return httpTransport(transport);
  }
}

async function listTools(
  client: Client,
  { signal, max }: { readonly signal: AbortSignal; readonly max: number },
): Promise<readonly unknown[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const found: unknown[] = [];
  // Each page has at least one tool or is the last, so a cursor that never ends is left after `max` pages.
  for (let cursor: string | undefined; found.length < max; ) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await client.request({ method: "tools/list", params }, page, { signal });
    found.push(...tools);
    if (nextCursor === undefined || tools.length === 0) break;
    cursor = nextCursor;
  }
  return found;
}

function callError(error: unknown): McpCallError {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof SdkError ? error.code : null;
  if (error instanceof ProtocolError || code === SdkErrorCode.InvalidResult)
    return new McpCallError("refused", message, error);
  return new McpCallError(code === SdkErrorCode.RequestTimeout ? "timeout" : "lost", message, error);
}

async function goodbye(transport: StreamableHTTPClientTransport): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, GOODBYE_MS);
  });
  await Promise.race([transport.terminateSession().catch(() => undefined), late]);
  clearTimeout(timer);
}

function lengthOf(line: Uint8Array): number {
  return line.at(-1) === RETURN ? line.length - 1 : line.length;
}

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

/**
 * Why a call has no answer. `refused`: the server said no; `timeout`: it did not answer in time; `lost`: the connection ended.
 * After the last two it is unknown whether it acted.
 */
export class McpCallError extends Error {
  override readonly name = "McpCallError";
  readonly kind: "refused" | "timeout" | "lost";

  constructor(kind: McpCallError["kind"], message: string, cause: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** A connection to one server, initialized. */
export interface McpConnection {
  /** Everything the server lists, unchecked, up to `max` entries. */
  list(options: { readonly signal: AbortSignal; readonly max: number }): Promise<readonly unknown[]>;
  /** The server's answer, unchecked. Rejects with a McpCallError, or with the signal's reason. */
  call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<unknown>;
  /** False when the server does not answer a ping in time. */
  alive(): Promise<boolean>;
  /** Resolves with the reason when either side has ended the connection. */
  readonly closed: Promise<string>;
  /** Ends the connection and the server's processes; resolves when they have exited. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly version: string;
  /** Ends the attempt, and with it the server's processes. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** One line of what the server writes beside the protocol. */
  readonly onLine: (line: string) => void;
  readonly onToolsChanged: () => void;
}

/** Starts or reaches a server and shakes hands. Rejects with what went wrong; then nothing is left running. */
export type ConnectMcp = (server: McpServerSettings, options: ConnectOptions) => Promise<McpConnection>;
